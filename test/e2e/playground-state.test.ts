import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PersistentVolumeClaim, VolumeSnapshot } from "@csi-sidecars/kube";
import { clientOf, createClaim, interrupt, type Playgrounds, playgrounds, ready } from "./testing/playground.ts";
import { until } from "./testing/until.ts";

let world: Playgrounds;
let state: string;
beforeAll(async () => {
  world = playgrounds();
  state = mkdtempSync(join(tmpdir(), "playground-state-"));
  const first = world.start(["--state", state, "--nodes", "3"]);
  await ready(first);
  await createClaim(join(state, "kubeconfig"), "kept");
  await until("the claim bound", () => first.output().includes("claim default/kept Bound"));
  using cluster = clientOf(join(state, "kubeconfig"));
  const metadata = { namespace: "default", name: "kept" };
  await cluster.client.create(VolumeSnapshot, { metadata, spec: { source: { persistentVolumeClaimName: "kept" } } });
  await until("the snapshot", () => first.output().includes(keptSnapshot));
  expect(await interrupt(first)).toBe(0);
});
const keptSnapshot = "snapshot default/kept Ready (kept), 1Gi";
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(state, { recursive: true, force: true });
});

/** Creates a claim with the content of a snapshot. */
async function restore(name: string, claim: string): Promise<void> {
  using cluster = clientOf(join(state, "kubeconfig"));
  await cluster.client.create(PersistentVolumeClaim, {
    metadata: { namespace: "default", name: claim },
    spec: {
      ...{ storageClassName: "playground", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      dataSource: { apiGroup: VolumeSnapshot.group, kind: VolumeSnapshot.kind, name },
    },
  });
}

const clusterFile = () => readFileSync(join(state, "cluster.json"), "utf8");

describe("a kept state", () => {
  test("is continued by one playground at a time, with the same kubeconfig", async () => {
    const token = () => /token: (\S+)/.exec(readFileSync(join(state, "kubeconfig"), "utf8"))?.[1];
    const before = token();
    expect(before).toBeString();
    const again = world.start(["--state", state]);
    await until("it to remember", () => again.output().includes("claim default/kept Bound"));
    expect(again.output()).toContain("node-1 to node-3");
    expect(again.output()).toContain(keptSnapshot);
    await restore("kept", "restored");
    await until("the restored claim", () => again.output().includes("claim default/restored Bound"));
    expect(token()).toBe(before);
    expect(await world.run(["--state", state])).toEqual([
      1,
      `playground: --state: another playground uses ${state}; stop it, or use another folder\n`,
    ]);
    expect(await interrupt(again)).toBe(0);
  });

  test("survives a SIGKILL, but for the last second", async () => {
    const run = world.start(["--state", state]);
    await ready(run);
    await createClaim(join(state, "kubeconfig"), "late");
    await until("the claim on disk", () => /"name":"late".*"phase":"Bound"/.test(clusterFile()));
    run.child.kill("SIGKILL");
    await run.ended;
    await until("the end of its processes", () => world.leftovers().length === 0);
    const again = world.start(["--state", state]);
    await until("it to remember", () => again.output().includes("claim default/late Bound"));
    expect(await interrupt(again)).toBe(0);
  });

  test.each([
    ["--nodes 2", "has 3 nodes: omit --nodes, or use another folder"],
    ["--topology zones=2", "has no zones: omit --topology, or use another folder"],
    ["--real", "is an embedded one: omit --real, or use another folder"],
    ["--driver /csi.sock", "is for the hostpath driver: omit --driver, or use another folder"],
  ])("cannot change its shape: %s is refused", async (flags, sentence) => {
    // Without a real control plane, that would be the error.
    const assets = join(world.folder, "assets");
    if (flags === "--real") fakeAssets(assets);
    const [code, output] = await world.run(["--state", state, ...flags.split(" ")], { KUBEBUILDER_ASSETS: assets });
    expect([code, output]).toEqual([1, `playground: --state: the cluster in ${state} ${sentence}\n`]);
  });

  test.each([
    ["cluster.json", (file: string) => truncateSync(file, 1000), "is damaged \\(.*\\)"],
    ["cluster.json", (file: string) => truncateSync(file, 0), "is damaged \\(.*\\)"],
    [
      "cluster.json",
      (file: string) => writeFileSync(file, '{"resourceVersion":7,"objects":{"pods":[{}]}}'),
      "was not written by the playground",
    ],
    ["playground.json", (file: string) => writeFileSync(file, "{}"), "was not written by the playground"],
  ])("with a damaged %s is reported, and not touched", async (name, damage, what) => {
    const file = join(state, name);
    const good = readFileSync(file);
    damage(file);
    const damaged = readFileSync(file);
    const [code, output] = await world.run(["--state", state]);
    const remedy = `nothing was changed: restore it from a copy, or remove ${state} to start over`;
    expect([code, output]).toEqual([1, expect.stringMatching(new RegExp(`^playground: --state: ${file} ${what}; ${remedy}\n$`))]);
    expect(readFileSync(file)).toEqual(damaged);
    expect(world.leftovers()).toEqual([]);
    writeFileSync(file, good);
  });

  test("with damaged volumes is reported by the driver, and not touched", async () => {
    const file = join(state, "volumes", "state.json");
    const good = readFileSync(file);
    writeFileSync(file, "{");
    const cluster = clusterFile();
    const [code, output] = await world.run(["--state", state]);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^playground: the driver does not start: .*state\.json: .*Nothing was changed\..*\n$/),
    ]);
    expect([readFileSync(file, "utf8"), clusterFile()]).toEqual(["{", cluster]);
    writeFileSync(file, good);
  });

  test("contains nothing that only a running playground needs", () => {
    expect(readdirSync(state).sort()).toEqual(["cluster.json", "kubeconfig", "playground.json", "volumes"]);
  });
});

function fakeAssets(folder: string): void {
  mkdirSync(folder);
  for (const program of ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"]) writeFileSync(join(folder, program), "");
}
