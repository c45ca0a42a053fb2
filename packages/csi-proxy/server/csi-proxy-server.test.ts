import { describe, expect, spyOn, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { Channel, type ServiceDefinition, serviceClient } from "@csi-sidecars/csi";
import { groupVersions } from "./api-groups.ts";
import { CsiProxyServer } from "./csi-proxy-server.ts";
import { endpointOf, pipePath } from "./endpoint.ts";
import type { CsiProxyHandlers } from "./library.ts";
import { serviceFor } from "./service-for.ts";
import { recordedHandlers } from "./testing/recorded-handlers.ts";

const sandbox = { workingDirs: ["C:\\var\\lib\\kubelet"] };

function serverIn(folder: string, handlers: CsiProxyHandlers = recordedHandlers().handlers): CsiProxyServer {
  const endpoints = groupVersions.map((groupVersion) => ({
    ...serviceFor(groupVersion.group, groupVersion.version, handlers, sandbox),
    ...{ groupVersion, address: endpointOf(groupVersion, folder) },
  }));
  return new CsiProxyServer({ endpoints, clock: systemClock, log: silentLogger });
}

function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "csi-proxy-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/** Calls the first method of a service at the endpoint of another. */
async function firstMethod(path: string, service: ServiceDefinition): Promise<string> {
  const channel = new Channel({ target: { kind: "unix", path } });
  try {
    const [method] = Object.values(serviceClient(service, channel));
    return await (method as (request: object, options: object) => Promise<object>)({}, { waitForReady: true, timeoutMs: 10_000 }).then(
      () => "OK",
      (error) => `${error.codeName}: ${error.details}`,
    );
  } finally {
    channel.close();
  }
}

const sockets = groupVersions.map(({ group, version }) => `csi-proxy-${group}-${version}.sock`).sort();

test("there are 23 pipes, by the names that drivers mount", () => {
  expect(groupVersions.map(pipePath)).toHaveLength(23);
  expect(pipePath({ group: "disk", version: "v1" })).toBe(String.raw`\\.\pipe\csi-proxy-disk-v1`);
  expect(endpointOf({ group: "volume", version: "v2alpha1" }, "")).toEqual({ path: String.raw`\\.\pipe\csi-proxy-volume-v2alpha1` });
});

test("each endpoint serves its own service alone, to its owner, and is gone after the stop", async () => {
  using folder = temporaryFolder();
  const server = serverIn(folder.path);
  await server.start();
  expect(server.serving).toBe(true);
  expect(readdirSync(folder.path).sort()).toEqual(sockets);
  for (const name of sockets) expect(statSync(join(folder.path, name)).mode & 0o777).toBe(0o600);

  const { definition } = serviceFor("disk", "v1", recordedHandlers().handlers, sandbox);
  expect(await firstMethod(join(folder.path, "csi-proxy-disk-v1.sock"), definition)).toBe("OK");
  const elsewhere = sockets.filter((name) => name !== "csi-proxy-disk-v1.sock");
  for (const name of elsewhere) {
    expect([name, await firstMethod(join(folder.path, name), definition)]).toEqual([name, "Unimplemented: unknown service v1.Disk"]);
  }

  await server.stop();
  expect(server.serving).toBe(false);
  expect(readdirSync(folder.path)).toEqual([]);
});

describe("what is in the way", () => {
  const path = (folder: string, name: string) => join(folder, `csi-proxy-${name}.sock`);

  async function listening(file: string): Promise<Server & AsyncDisposable> {
    const server = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => server.listen(file, resolve));
    return Object.assign(server, { [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) });
  }

  test("sockets of other processes, files and links stay; all are reported, and nothing is served", async () => {
    using folder = temporaryFolder();
    await using _other = await listening(path(folder.path, "disk-v1"));
    writeFileSync(path(folder.path, "smb-v1"), "a file");
    symlinkSync("/nowhere", path(folder.path, "volume-v1"));
    const failure = await serverIn(folder.path)
      .start()
      .catch((error) => error);
    expect(failure.reasons.toSorted()).toEqual([
      `cannot listen on ${path(folder.path, "disk-v1")}: another process listens there`,
      `cannot listen on ${path(folder.path, "smb-v1")}: it exists and is not a socket`,
      `cannot listen on ${path(folder.path, "volume-v1")}: it exists and is not a socket`,
    ]);
    expect(readdirSync(folder.path).sort()).toEqual(["csi-proxy-disk-v1.sock", "csi-proxy-smb-v1.sock", "csi-proxy-volume-v1.sock"]);
    expect(readFileSync(path(folder.path, "smb-v1"), "utf8")).toBe("a file");
  });

  test("a second instance fails, and the first goes on", async () => {
    using folder = temporaryFolder();
    const first = serverIn(folder.path);
    await first.start();
    const failure = await serverIn(folder.path)
      .start()
      .catch((error) => error);
    expect(failure.reasons).toHaveLength(23);
    const { definition } = serviceFor("smb", "v1", recordedHandlers().handlers, sandbox);
    expect(await firstMethod(path(folder.path, "smb-v1"), definition)).toBe("OK");
    await first.stop();
  });

  test("sockets that a killed process left behind are replaced", async () => {
    using folder = temporaryFolder();
    const left = path(folder.path, "disk-v1");
    const child = Bun.spawnSync([
      process.execPath,
      "-e",
      `require("net").createServer().listen(${JSON.stringify(left)}, () => process.kill(process.pid, 9))`,
    ]);
    expect([child.signalCode as string, existsSync(left)]).toEqual(["SIGKILL", true]);
    const server = serverIn(folder.path);
    await server.start();
    expect(readdirSync(folder.path).sort()).toEqual(sockets);
    await server.stop();
  });
});

test("an endpoint that fails later is named, and the others are stopped with it", async () => {
  using folder = temporaryFolder();
  using listen = spyOn(Server.prototype, "listen");
  const server = serverIn(folder.path);
  await server.start();
  const broken = (listen.mock.contexts as readonly Server[]).find((one) => one.address() === join(folder.path, "csi-proxy-smb-v1.sock"));
  broken?.emit("error", new Error("the pipe broke"));
  await server.failed;
  expect(server.failures).toEqual(["GRPC server for API group smb version v1 failed: the pipe broke"]);
  await server.stop();
  expect(readdirSync(folder.path)).toEqual([]);
});

test("it starts once, and stops only after that", async () => {
  using folder = temporaryFolder();
  const server = serverIn(folder.path);
  await expect(server.stop()).rejects.toThrow("server not started yet");
  await server.start();
  await expect(server.start()).rejects.toThrow("server already started");
  await server.stop();
});
