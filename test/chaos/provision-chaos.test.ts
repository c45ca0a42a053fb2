import { expect, test } from "bun:test";
import { seededRandom } from "@csi-sidecars/base/testing";
import { quickElection } from "../e2e/testing/election.ts";
import { startE2eWorld, type World } from "../e2e/testing/world.ts";
import { rampage, sizesFrom, spanMs } from "./chaos.ts";
import { addClassesAndNodes, deleteClaim, nodeNames } from "./claims.ts";
import { lastingLeftovers, lastingOverlaps } from "./invariants.ts";
import { Scheduler } from "./scheduler.ts";
import { addSnapshot, addSources, sources } from "./sources.ts";
import { Replicas, SupervisedSidecar } from "./supervised-sidecar.ts";

const seed = Number(process.env.SEED ?? Date.now() % 1e9);
const sizes = sizesFrom(process.env);
console.log(`seed ${seed}`);

/** kube-controller-manager sees some ends only with its resync, every quarter of a minute, and comes back late after a long cut. */
const settleMs = 60_000 + 2 * sizes.cutMs;
const limitMs = 2 * spanMs(sizes) + settleMs + 60_000 + sizes.claims * 100;

const finalizing = ["--in-progress-finalizer"];
const alone = [...finalizing, "--leader-election=false"];
const wishes = [sources.lasting, { node: nodeNames[0] }, sources.snapshot, { node: nodeNames[1] }];
const withLeaving = { wishes: [sources.leaving, ...wishes], leaves: sources.leaving.dataSource.name };
const origin = sources.lasting.dataSource.name;

test.each([
  [seed, "claims come and go while answers get lost, the process dies and the API server is away"],
  [seed + 1, "once more, with other luck"],
])(
  "seed %d, %s, and nothing is left over",
  async (own) => {
    await using world = await startChaosWorld(own);
    await using scheduler = new Scheduler(world.cluster);
    await using sidecar = await startProvisioner(world, alone);
    await addSources(world);
    const kept = await rampage(world, sidecar, seededRandom(own), { ...sizes, ...withLeaving, prefix: "data", deletes: "ever" });
    await nothingIsLeftOver(world, [...kept]);
    expect(kept.size).toBe(Math.floor(sizes.claims / 2));
    expect(scheduler.times).toBeGreaterThan(0);
    expect(lastingOverlaps(world.driver)).toEqual([]);
    expect(await sidecar.stop()).toBe(0);
  },
  limitMs,
);

test(
  "one of two replicas leads, is killed again and again, and the other takes over: nothing is left over",
  async () => {
    await using world = await startChaosWorld(seed + 2);
    await using _scheduler = new Scheduler(world.cluster);
    const args = await provisionerArgs(world, [...finalizing, ...quickElection]);
    await using replicas = new Replicas(world, (name) => world.start(name, args));
    await addSources(world);
    const fewer = { ...sizes, kills: Math.ceil(sizes.kills / 3), cuts: 1 };
    const kept = await rampage(world, replicas, seededRandom(seed + 2), { ...fewer, ...withLeaving, prefix: "data", deletes: "ever" });
    await nothingIsLeftOver(world, [...kept]);
    expect(replicas.takeovers).toBeGreaterThan(0);
    expect(lastingOverlaps(world.driver)).toEqual([]);
    expect(await replicas.stop()).toEqual([0, 0]);
  },
  limitMs + sizes.kills * 2_000,
);

test.each([
  ["as shipped nothing is left over, as long as no claim is deleted that a killed process was busy with", [], "bound"],
  ["and --cleanup-orphaned-volumes nothing is left over as long as the API server remembers", ["--cleanup-orphaned-volumes"], "ever"],
] as const)(
  "with the flags %s",
  async (_, flags, deletes) => {
    await using world = await startChaosWorld(seed);
    await using _scheduler = new Scheduler(world.cluster);
    const random = seededRandom(seed);
    await using sidecar = await startProvisioner(world, ["--leader-election=false", ...flags]);
    await addSources(world);
    const half = { ...sizes, wishes, claims: sizes.claims / 2, kills: Math.ceil(sizes.kills / 2) };
    const kept = [
      ...(await rampage(world, sidecar, random, { ...half, kills: 0, cuts: 1, prefix: "alive", deletes: "ever" })),
      ...(await rampage(world, sidecar, random, { ...half, cuts: 0, prefix: "killed", deletes })),
    ];
    await nothingIsLeftOver(world, [...kept, sources.leaving.dataSource.name]);
    expect(await sidecar.stop()).toBe(0);
  },
  limitMs,
);

/** The claims that others were filled from can go in the end. */
async function nothingIsLeftOver(world: World, kept: readonly string[]): Promise<void> {
  expect(await lastingLeftovers(world, new Set([...kept, origin]), settleMs)).toEqual([]);
  await deleteClaim(world.cluster, origin);
  expect(await lastingLeftovers(world, new Set(kept), settleMs)).toEqual([]);
}

async function startChaosWorld(own: number): Promise<World> {
  const world = await startE2eWorld({
    cluster: { own: true, storageControllers: true, nodes: false },
    driver: { capabilities: "full", faults: { seed: own, loseEvery: 7, delayMs: [1, 60] } },
  });
  await addClassesAndNodes(world);
  await addSnapshot(world);
  return world;
}

async function startProvisioner(world: World, flags: readonly string[]): Promise<SupervisedSidecar> {
  const args = await provisionerArgs(world, flags);
  return new SupervisedSidecar(() => world.start("chaos", args));
}

async function provisionerArgs(world: World, flags: readonly string[]): Promise<readonly string[]> {
  return [
    "--controllers=provisioner",
    `--kubeconfig=${await world.kubeconfig("provisioner")}`,
    "--kube-api-qps=-1",
    "--timeout=1s",
    "--extra-create-metadata",
    "--retry-interval-start=50ms",
    "--retry-interval-max=1s",
    "--snapshot-orphan-sweep-interval=1s",
    ...flags,
  ];
}
