import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../../build/checksums.ts";
import { LockedPackages, PackageUnavailable } from "./packages.ts";

const hasDpkg = Bun.which("dpkg-deb") !== null;

describe.skipIf(!hasDpkg)(`a locked package${hasDpkg ? "" : " (dpkg-deb is not installed)"}`, () => {
  let folder: string;
  let deb: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "packages-"));
    deb = build("2:1.0+deb12u1", "the file");
    // An APT that has only newer versions.
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin/apt-get"), `#!/bin/sh\necho "E: Version '1' for 'small' was not found" >&2\nexit 100\n`, {
      mode: 0o755,
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function build(version: string, content: string): string {
    const tree = mkdtempSync(join(folder, "tree-"));
    mkdirSync(join(tree, "DEBIAN"));
    writeFileSync(
      join(tree, "DEBIAN/control"),
      `Package: small\nVersion: ${version}\nArchitecture: amd64\nMaintainer: A <a@b.c>\nDescription: d\n`,
    );
    writeFileSync(join(tree, "a-file"), content);
    const { status, stderr } = spawnSync("dpkg-deb", ["--root-owner-group", "--build", tree, `${tree}.deb`], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return `${tree}.deb`;
  }

  const emptyCache = () => mkdtempSync(join(folder, "cache-"));
  function packages(places: string, cache = emptyCache()): LockedPackages {
    const env = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, XDG_CACHE_HOME: cache, CSI_SIDECARS_DEBIAN: places };
    return new LockedPackages(env, { amd64: { small: { version: "2:1.0+deb12u1", source: "libsmall", sha256: sha256(deb) } } });
  }
  const contentOf = async (from: LockedPackages) => {
    const { entries } = await from.get("small", "amd64");
    return entries.flatMap((entry) => (entry.type === "file" ? [new TextDecoder().decode(entry.content)] : []));
  };
  function supplied(name: string, file = deb): string {
    const place = mkdtempSync(join(folder, "supplied-"));
    copyFileSync(file, join(place, name));
    return place;
  }

  test.each(["small_2%3a1.0+deb12u1_amd64.deb", "its checksum"])("comes from a folder, where it is called %s", async (name) => {
    const place = supplied(name === "its checksum" ? `${sha256(deb)}.deb` : name);
    expect(await contentOf(packages(`${supplied("other_1_amd64.deb")} ${place}`))).toEqual(["the file"]);
  });

  test.each([
    "/pool/main/libs/libsmall/small_1.0+deb12u1_amd64.deb",
    "/pool/updates/main/libs/libsmall/small_1.0+deb12u1_amd64.deb",
    "/pool/main/libs/libsmall/small_1.0+deb12u1_all.deb",
    "its checksum",
  ])("comes from an archive that has %s", async (path) => {
    const present = path === "its checksum" ? `/${sha256(deb)}.deb` : path;
    await using archive = serve((asked) => (asked === present ? new Response(readFileSync(deb)) : new Response("", { status: 404 })));
    expect(await contentOf(packages(`${archive.url}debian/`))).toEqual(["the file"]);
  });

  test("is kept: it is asked for once", async () => {
    const cache = emptyCache();
    await packages(supplied("small_1_amd64.deb"), cache).get("small", "amd64");
    expect(await contentOf(packages("", cache))).toEqual(["the file"]);
  });

  test("is what the lock says: another one is refused, or passed over in a folder", async () => {
    const other = build("2:1.0+deb12u1", "another file");
    await using archive = serve(() => new Response(readFileSync(other)));
    const cache = emptyCache();
    await expect(packages(archive.url.href, cache).get("small", "amd64")).rejects.toThrow(
      `has the SHA-256 ${sha256(other)}, but the lock has`,
    );
    expect(readdirSync(join(cache, "csi-sidecars/debian")).filter((name) => name.endsWith(".deb"))).toEqual([]);
    await expect(packages(supplied("small_1_amd64.deb", other)).get("small", "amd64")).rejects.toThrow(PackageUnavailable);
  });

  test("that nobody has any more is told apart from an archive that fails", async () => {
    const gone = packages("").get("small", "amd64");
    await expect(gone).rejects.toThrow(PackageUnavailable);
    await expect(gone).rejects.toThrow("name in CSI_SIDECARS_DEBIAN a folder or an archive that still has it");
    await using archive = serve(() => new Response("", { status: 503 }));
    const failing = packages(archive.url.href).get("small", "amd64");
    await expect(failing).rejects.toThrow(/answers 503$/);
    await expect(failing).rejects.not.toThrow(PackageUnavailable);
  });

  function serve(answer: (path: string) => Response) {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => answer(new URL(url).pathname.replace(/^\/debian/, "")),
    });
    return { url: server.url, [Symbol.asyncDispose]: () => server.stop(true) };
  }
});
