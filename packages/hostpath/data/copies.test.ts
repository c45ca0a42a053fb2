import { describe, expect, test } from "bun:test";
import { chmod, chown, link, lstat, mkdir, open, readdir, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startWorld, type World } from "../testing/driver-world.ts";
import { create, fromSnapshot, fromVolume, named, snap } from "../testing/requests.ts";

const isRoot = process.geteuid?.() === 0;

/** A volume with everything that a copy can lose. */
async function fill(root: string): Promise<void> {
  await writeFile(join(root, "program"), "#!", { mode: 0o600 });
  await chmod(join(root, "program"), 0o4751);
  await link(join(root, "program"), join(root, "second name"));
  await symlink("/etc/passwd", join(root, "absolute link"));
  await symlink("../../../outside", join(root, "link out"));
  await symlink("nowhere", join(root, "broken link"));
  await mkdir(join(root, "-rf"), { mode: 0o700 });
  await writeFile(join(root, "-rf", "line\nbreak"), "x");
  await chmod(join(root, "-rf"), 0o2770);
  const sparse = await open(join(root, "sparse"), "w");
  await sparse.truncate(64 * 1024 * 1024);
  await sparse.write("end", 64 * 1024 * 1024 - 3);
  await sparse.close();
  if (isRoot) await chown(join(root, "-rf"), 12_345, 54_321);
  await chmod(root, 0o1777);
}

/** Everything below a directory, as somebody who looks closely sees it. */
async function look(root: string): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const name of [".", ...(await readdir(root, { recursive: true })).sort()]) {
    const path = join(root, name);
    const found = await lstat(path);
    const target = found.isSymbolicLink() ? ` -> ${await readlink(path)}` : "";
    const size = found.isFile() ? ` ${found.size} bytes, ${found.nlink} names` : "";
    seen[name] = `${found.mode.toString(8)} ${found.uid}:${found.gid}${size}${target}`;
  }
  return seen;
}

describe("modes, owners, links, holes and odd names are the same", () => {
  test.each<[string, (world: World, source: string) => Promise<object>]>([
    ["in a clone", async (_, source) => fromVolume(source)],
    ["in a volume from a snapshot", async (world, source) => fromSnapshot(await snap(world, "s", source))],
  ])("%s", async (_, contentOf) => {
    await using world = await startWorld();
    const source = await create(world, named("source"));
    await fill(join(world.stateDir, source));
    const copy = await create(world, { ...named("copy"), ...(await contentOf(world, source)) });
    expect(await look(join(world.stateDir, copy))).toEqual(await look(join(world.stateDir, source)));
    expect((await stat(join(world.stateDir, copy, "sparse"))).blocks).toBeLessThan(10_000);
  });
});

test("200 snapshots and clones at once do not ask too much of the host", async () => {
  await using world = await startWorld();
  const source = await create(world, named("source"));
  const snapshots = Array.from({ length: 100 }, (_, index) => snap(world, `s${index}`, source));
  const clones = Array.from({ length: 100 }, (_, index) => create(world, { ...named(`c${index}`), ...fromVolume(source) }));
  expect(new Set(await Promise.all([...snapshots, ...clones])).size).toBe(200);
}, 60_000);
