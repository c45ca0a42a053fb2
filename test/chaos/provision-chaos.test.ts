import { expect, test } from "bun:test";
import { seededRandom } from "@csi-sidecars/base/testing";
import { quickElection } from "../e2e/election.ts";
import { startE2eWorld, type World } from "../e2e/world.ts";
import { addClassAndNode } from "./claims.ts";
import { lastingLeftovers } from "./leftovers.ts";
import { rampage } from "./rampage.ts";
import { sizesFrom, spanMs } from "./sizes.ts";
import { SupervisedSidecar } from "./supervised-sidecar.ts";

const seed = Number(process.env.SEED ?? Date.now() % 1e9);
const sizes = sizesFrom(process.env);
console.log(`seed ${seed}`);

/** kube-controller-manager sees some ends only with its resync, every quarter of a minute, and comes back late after a long cut. */
const settleMs = 60_000 + 2 * sizes.cutMs;
const limitMs = 2 * spanMs(sizes) + settleMs + 60_000 + sizes.claims * 100;

const elections = [
  [seed, "without election", ["--leader-election=false"]],
  [seed + 1, "with an election", quickElection],
  [seed + 2, "without election", ["--leader-election=false"]],
] as const;

test.each(elections)(
  "seed %d, %s: claims come and go while answers get lost, the process dies and the API server is away, and nothing is left over",
  async (own, _, election) => {
    await using world = await startChaosWorld(own);
    await using sidecar = await startProvisioner(world, ["--persist-in-progress", ...election]);
    const kept = await rampage(world, sidecar, seededRandom(own), { ...sizes, prefix: "data", deletes: "ever" });
    expect(await lastingLeftovers(world, kept, settleMs)).toEqual([]);
    expect(kept.size).toBe(Math.floor(sizes.claims / 2));
    expect(world.driver.overlaps()).toEqual([]);
    expect(await sidecar.stop()).toBe(0);
  },
  limitMs,
);

test(
  "with the flags as shipped nothing is left over, as long as no claim is deleted that a killed process was busy with",
  async () => {
    await using world = await startChaosWorld(seed);
    const random = seededRandom(seed);
    await using sidecar = await startProvisioner(world, ["--leader-election=false"]);
    const half = { ...sizes, claims: sizes.claims / 2, kills: Math.ceil(sizes.kills / 2) };
    const kept = [
      ...(await rampage(world, sidecar, random, { ...half, cuts: 0, prefix: "killed", deletes: "bound" })),
      ...(await rampage(world, sidecar, random, { ...half, kills: 0, cuts: 1, prefix: "alive", deletes: "ever" })),
    ];
    expect(await lastingLeftovers(world, new Set(kept), settleMs)).toEqual([]);
    expect(await sidecar.stop()).toBe(0);
  },
  limitMs,
);

async function startChaosWorld(own: number): Promise<World> {
  const world = await startE2eWorld({
    cluster: { own: true, storageControllers: true },
    driver: { capabilities: "full", faults: { seed: own, loseEvery: 7, delayMs: [1, 60] } },
  });
  await addClassAndNode(world);
  return world;
}

async function startProvisioner(world: World, flags: readonly string[]): Promise<SupervisedSidecar> {
  const kubeconfig = await world.kubeconfig("provisioner");
  const args = [
    "--controllers=provisioner",
    `--kubeconfig=${kubeconfig}`,
    "--kube-api-qps=-1",
    "--timeout=1s",
    "--retry-interval-start=50ms",
    "--retry-interval-max=1s",
    ...flags,
  ];
  return new SupervisedSidecar(() => world.start("chaos", args));
}
