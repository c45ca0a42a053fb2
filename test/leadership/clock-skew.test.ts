import { expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { until } from "@csi-sidecars/base/testing";
import { Lease } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { startCandidate } from "./testing/candidate.ts";

const timing = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 300 };
const ref = { namespace: "default", name: "skewed" };
const dayMs = 24 * 60 * 60 * 1_000;

/** A candidate whose machine has another time of day. */
function candidate(cluster: Cluster, identity: string, skewMs: number) {
  const clock = { ...systemClock, now: () => systemClock.now() + skewMs };
  return startCandidate(cluster, identity, { lease: ref, timing, clock, mayRelease: () => true });
}

test.each([
  ["a day behind", -dayMs],
  ["a day ahead", dayMs],
])("a leader whose clock is %s is left alone while it renews and replaced when it does not", async (_, skewMs) => {
  await using cluster = await startCluster();
  const leader = candidate(cluster, "leader", skewMs);
  await until("it leads", () => leader.elector.mayAct());
  const standby = candidate(cluster, "standby", -skewMs);
  // Longer than the lease lasts: ten renewals, which the standby sees.
  const renewals = new Set<string>();
  await until("renewals", async () => renewals.add((await cluster.admin.get(Lease, ref)).spec?.renewTime ?? "").size > 12, 20_000);
  expect([leader.elector.mayAct(), standby.elector.isLeader()]).toEqual([true, false]);
  leader.isolate();
  await until("the standby leads", () => standby.elector.mayAct(), 20_000);
  expect(leader.elector.mayAct()).toBe(false);
  expect((await cluster.admin.get(Lease, ref)).spec).toMatchObject({ holderIdentity: "standby", leaseTransitions: 1 });
  await Promise.all([leader.stop(), standby.stop()]);
});
