import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HostpathOptions, startHostpathDriver } from "@csi-sidecars/hostpath";
import { csiSanityPath } from "../../tools/csi-sanity/location.ts";
import { runCsiSanity, type SanityCase } from "../../tools/csi-sanity/run-csi-sanity.ts";

const program = csiSanityPath(process.env);
const why = existsSync(program)
  ? ""
  : ` (skipped: no ${program}; run \`npm run csi-sanity:build\`, which needs Go, or set CSI_SANITY to the program)`;
const isRoot = process.geteuid?.() === 0;
const has = {
  nothing: true,
  root: isRoot,
  loops: isRoot && Bun.which("losetup") !== null && Bun.spawnSync(["losetup", "--find"]).exitCode === 0,
};

/** The one case that never runs: the suite itself disables it. `controller/paging.test.ts` of the driver has the same. */
const disabledBySuite = [
  "Controller Service [Controller Server] ListVolumes pagination should detect volumes added between pages and accept tokens when the last volume from a page is deleted",
];

const gibibyte = "--csi.testvolumesize=1073741824";
const everything: Partial<HostpathOptions> = {
  attach: true,
  attachLimit: 3n,
  publishReadonly: true,
  publishedNodes: true,
  modify: true,
  acceptedMutableParameters: ["iops"],
  snapshotMetadata: true,
  volumeHealth: true,
  checkVolumeLifecycle: true,
  expansionMode: "online",
};
const everythingFlags = [gibibyte, "--csi.testnodevolumeattachlimit"];

const configurations: readonly [name: string, options: Partial<HostpathOptions>, flags: readonly string[], needs?: keyof typeof has][] = [
  ["everything, by links", { ...everything, mountMode: "symlink" }, everythingFlags],
  ["everything, by bind mounts", { ...everything, mountMode: "bind" }, everythingFlags, "root"],
  ["as it comes", { mountMode: "symlink" }, []],
  ["block volumes, by links", { mountMode: "symlink" }, ["--csi.testvolumeaccesstype=block"]],
  ["block volumes, by loop devices", { mountMode: "bind" }, ["--csi.testvolumeaccesstype=block", gibibyte], "loops"],
  ["without group snapshots and mounts", { mountMode: "none", groupSnapshots: false }, []],
  // The suite cannot take a snapshot's topology in an answer: it compares it together with what protobuf caches. It takes none.
  ["snapshots with topology", { mountMode: "symlink", snapshotTopology: true }, ["--csi.testvolumeparameters=FOLDER/everywhere.yaml"]],
  ["in memory", { backend: "memory", attach: true }, []],
];

describe.skipIf(why !== "")(`csi-sanity${why}`, () => {
  const ran = new Set<string>();
  const skipped = new Map<string, SanityCase>();

  for (const [name, options, flags, needs = "nothing"] of configurations) {
    test.skipIf(!has[needs])(
      name,
      async () => {
        const folder = await mkdtemp(join(tmpdir(), "sanity-"));
        try {
          const parameters = join(folder, "mutable.yaml");
          await writeFile(parameters, "iops: '100'\n");
          await writeFile(join(folder, "everywhere.yaml"), "noTopology: 'true'\n");
          const socket = join(folder, "csi.sock");
          const stateDir = join(folder, "state");
          const driver = await startHostpathDriver({ nodeId: "node-1", endpoint: socket, stateDir, ...options });
          const mutable = options.modify ? [`--csi.testvolumemutableparameters=${parameters}`] : [];
          const allFlags = [...flags.map((flag) => flag.replace("FOLDER", folder)), ...mutable];
          const cases = await runCsiSanity(program, socket, folder, allFlags).finally(() => driver.stop());
          for (const result of cases) {
            if (result.status === "passed") ran.add(result.name);
            else if (result.status !== "failed") skipped.set(result.name, result);
          }
          expect(cases.filter(({ status }) => status === "failed")).toEqual([]);
          expect(cases.length).toBeGreaterThan(100);
          if (options.backend !== "memory") {
            expect((await readdir(stateDir)).sort()).toEqual([".pending", "state.journal", "state.json"]);
            expect(await readdir(join(stateDir, ".pending"))).toEqual([]);
          }
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      },
      60_000,
    );
  }

  test("each case was run by some configuration, but the one that the suite disables", () => {
    const never = [...skipped.values()].filter(({ name }) => !ran.has(name));
    expect(never.map(({ name, status, message }) => [status, name, message])).toEqual(
      disabledBySuite.map((name) => ["pending", name, "pending"]),
    );
    expect(ran.size).toBeGreaterThanOrEqual(102);
  });
});
