import { expect, test } from "bun:test";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nobody, patient, startPlugin } from "../testing/plugin-process.ts";
import { fromSnapshot, fromVolume, named } from "../testing/requests.ts";

const isRoot = process.geteuid?.() === 0;
const user = isRoot ? nobody : undefined;
const canBecome = !isRoot || Bun.which("setpriv") !== null;

test.skipIf(!canBecome)(
  "without privileges, a volume whose owner made it read-only is copied, deleted, and no obstacle to a start",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "hostpath-"));
    const own = async (path: string, mode: number) => {
      if (user !== undefined) await chown(path, user, user);
      await chmod(path, mode);
    };
    try {
      const flags = ["--nodeid=n"];
      {
        await using plugin = await startPlugin({ flags, folder, user });
        const { controller } = plugin.client;
        await plugin.client.identity.probe({}, patient);
        const id = async (request: Parameters<typeof controller.createVolume>[0]) =>
          (await controller.createVolume(request)).volume?.volumeId ?? "";
        const source = await id(named("source"));
        const root = join(plugin.stateDir, source);
        expect((await stat(root)).mode & 0o7777).toBe(0o777);
        await mkdir(join(root, "locked"));
        await writeFile(join(root, "locked", "file"), "data");
        await own(join(root, "locked", "file"), 0o666);
        await own(join(root, "locked"), 0o555);
        await own(root, 0o555);
        const { snapshot } = await controller.createSnapshot({ name: "s", sourceVolumeId: source });
        const copies = [
          await id({ ...named("clone"), ...fromVolume(source) }),
          await id({ ...named("restored"), ...fromSnapshot(snapshot?.snapshotId ?? "") }),
        ];
        for (const copy of copies) {
          expect((await stat(join(plugin.stateDir, copy))).mode & 0o7777).toBe(0o555);
          expect((await stat(join(plugin.stateDir, copy, "locked", "file"))).mode & 0o7777).toBe(0o666);
        }
        for (const volumeId of [source, ...copies]) await controller.deleteVolume({ volumeId });
        expect(await readdir(join(plugin.stateDir, ".pending"))).toEqual([]);
      }
      // What an interrupted deletion would have left.
      const left = join(folder, "state", ".pending", "left");
      await mkdir(join(left, "locked"), { recursive: true });
      await own(join(left, "locked"), 0o555);
      await own(left, 0o555);
      await using plugin = await startPlugin({ flags, folder, user });
      await plugin.client.identity.probe({}, patient);
      expect(await readdir(join(plugin.stateDir, ".pending"))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  30_000,
);
