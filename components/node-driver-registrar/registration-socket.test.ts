import { describe, expect, test } from "bun:test";
import { access, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GrpcServer } from "@csi-sidecars/csi";
import {
  checkReplaceable,
  publishSocket,
  registrationSocketPath,
  removeIfSame,
  socketAt,
  socketPathProblem,
} from "./registration-socket.ts";

async function folder() {
  const path = await mkdtemp(join(tmpdir(), "socket-file-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function socket(path: string) {
  const server = new GrpcServer();
  await server.listen({ path });
  return { [Symbol.asyncDispose]: () => server.kill() };
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

for (const platform of ["linux", "win32"] as const) {
  describe(`on ${platform}`, () => {
    test("nothing there is fine, with or without the directory", async () => {
      await using dir = await folder();
      for (const path of [join(dir.path, "absent"), join(dir.path, "no", "folder")]) {
        expect(await socketAt(path, platform)).toBeUndefined();
        await checkReplaceable(path, platform);
      }
    });

    test(`a socket is found and ${platform === "win32" ? "removed" : "left to be replaced"}`, async () => {
      await using dir = await folder();
      const path = join(dir.path, "s");
      await using _listening = await socket(path);
      expect(await socketAt(path, platform)).toBeDefined();
      await checkReplaceable(path, platform);
      expect(await exists(path)).toBe(platform !== "win32");
    });
  });
}

test("another file is an error and stays, but on Windows, where nobody can tell", async () => {
  await using dir = await folder();
  const path = join(dir.path, "f");
  await writeFile(path, "precious");
  expect(String(await socketAt(path, "linux").catch((error) => error))).toContain("is not a socket");
  expect(String(await checkReplaceable(path, "linux").catch((error) => error))).toContain("is not a socket");
  expect(await exists(path)).toBe(true);
  await checkReplaceable(path, "win32");
  expect(await exists(path)).toBe(false);
});

test("a link to a socket counts as one", async () => {
  await using dir = await folder();
  const path = join(dir.path, "s");
  await using _listening = await socket(path);
  await symlink(path, join(dir.path, "link"));
  expect(await socketAt(join(dir.path, "link"), "linux")).toEqual(await socketAt(path, "linux"));
});

test("only the file that is meant is removed", async () => {
  await using dir = await folder();
  const path = join(dir.path, "s");
  await using _first = await socket(path);
  const identity = (await socketAt(path))!;
  await rm(path);
  await using _second = await socket(path);
  await removeIfSame(path, identity);
  expect(await exists(path)).toBe(true);
  await removeIfSame(path, (await socketAt(path))!);
  expect(await exists(path)).toBe(false);
  await removeIfSame(path, identity);
});

test("a path that no socket can have is refused with the flag to change", () => {
  const path = registrationSocketPath("/registration", "d".repeat(84));
  expect([path.length, socketPathProblem(path, "plugin-registration-path", "linux")]).toEqual([107, undefined]);
  expect(socketPathProblem(`${path}é`, "plugin-registration-path", "linux")).toContain(
    "has 109 bytes, but socket paths are limited to 107",
  );
  expect(socketPathProblem(`${path}é`, "plugin-registration-path", "linux")).toContain("--plugin-registration-path");
});

/** As the file system of Windows answers for a socket: it is in its directory, and whoever looks at it is refused. */
async function unreadable(path: string): Promise<void> {
  await symlink(path, path);
}

describe("a socket that Windows does not let anybody look at", () => {
  test("is found by its name, whatever its case", async () => {
    await using dir = await folder();
    await unreadable(join(dir.path, "Driver-reg.sock"));
    expect(await socketAt(join(dir.path, "driver-reg.sock"), "win32")).toBeDefined();
    expect(await socketAt(join(dir.path, "driver"), "win32")).toBeUndefined();
  });

  test("is removed for its successor, and with its process", async () => {
    await using dir = await folder();
    const path = join(dir.path, "s");
    await unreadable(path);
    await checkReplaceable(path, "win32");
    expect(await socketAt(path, "win32")).toBeUndefined();
    await unreadable(path);
    await removeIfSame(path, (await socketAt(path, "win32"))!, "win32");
    expect(await socketAt(path, "win32")).toBeUndefined();
  });
});

test("on Windows the socket listens under its own name from the start: nothing is renamed", async () => {
  await using dir = await folder();
  const path = registrationSocketPath(dir.path, "driver.example.com");
  const listened: unknown[] = [];
  const server = new GrpcServer();
  const recording = Object.assign(Object.create(server), {
    listen: (address: { path: string }) => {
      listened.push(address.path);
      return server.listen(address);
    },
  });
  expect(await publishSocket(path, recording, "win32")).toEqual((await socketAt(path, "win32"))!);
  expect(listened).toEqual([path]);
  await server.kill();
});
