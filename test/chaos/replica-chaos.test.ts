import { expect, test } from "bun:test";
import { seededRandom } from "@csi-sidecars/base/testing";
import { until } from "../e2e/testing/until.ts";
import { type Replicas, startReplicas } from "../leadership/testing/replicas.ts";
import { randomSeed } from "../random-seed.ts";
import { leakedVolumes, unsettled, useClaims } from "./attached-claims.ts";
import { addClassesAndNodes } from "./claims.ts";
import { LeaseHistory } from "./lease-history.ts";
import { type Disturbance, disturb } from "./replica-disturbances.ts";
import { lateCalls, rivalCalls, volumeTimeLine } from "./rival-calls.ts";

/** `CHAOS_SECONDS=600` runs for ten minutes. */
const spanMs = Number(process.env.CHAOS_SECONDS ?? 40) * 1_000;
const settleMs = 90_000;
/** Seeds with which a run of ten minutes has left volumes behind once. A shorter one has other disturbances. */
const failedSeeds = spanMs < 600_000 ? [] : [823114565];

test.each([randomSeed(), ...failedSeeds])(
  "seed %d: three replicas are suspended, killed and partitioned at random: two never act at once, and everything is settled",
  async (seed) => {
    await using world = await startReplicas({
      names: ["replica-a", "replica-b", "replica-c"],
      controllers: "attacher,provisioner",
      flags: ["--in-progress-finalizer", "--timeout=10s", "--driver-loss-grace-period=2s"],
      cluster: { own: true, storageControllers: true, nodes: false },
      driver: { capabilities: "full", locksVolumes: true, faults: { seed, loseEvery: 11, delayMs: [1, 400], slowEvery: 5, slowMs: 6_000 } },
    });
    await addClassesAndNodes(world);
    await using lease = new LeaseHistory(world.cluster);
    const disturbances: Disturbance[] = [];
    const [claims] = await Promise.all([useClaims(world, seededRandom(seed), spanMs), disturb(world.replicas, seed, spanMs, disturbances)]);
    const left = await unsettled(world, claims, settleMs);
    const recorded = { calls: world.driver.calls(), disturbances, lease: lease.changes };
    const late = lateCalls(recorded);
    const rivals = rivalCalls(recorded);
    report(world, claims.kept.size, disturbances.length);
    for (const violation of [...late, ...rivals]) console.log(violation);
    for (const name of await leakedVolumes(world)) console.log(volumeTimeLine(recorded, name));
    expect(left).toEqual([]);
    expect(late).toEqual([]);
    expect(rivals).toEqual([]);
    await until("exactly one leader", async () => (await leaders(world)).length === 1);
    expect((await leaders(world))[0]).toBe((await world.leader()).name);
  },
  { timeout: 2 * spanMs + settleMs + 60_000, retry: 0 },
);

/** The replicas that take themselves for the leader. */
async function leaders({ replicas }: Replicas): Promise<readonly string[]> {
  const metrics = await Promise.all(replicas.map(async ({ process }) => (await process.get("/metrics"))[1]));
  return replicas.filter((_, i) => /^leader_election_master_status\{[^}]*\} 1$/m.test(metrics[i] ?? "")).map(({ name }) => name);
}

function report(world: Replicas, kept: number, disturbances: number): void {
  const calls = world.replicas.map((replica) => `${replica.name} ${world.callsBy(replica).length}`).join(", ");
  console.log(`${disturbances} disturbances, ${kept} claims kept, calls that change something: ${calls}`);
}
