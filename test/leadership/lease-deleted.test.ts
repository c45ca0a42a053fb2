import { expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { Lease } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { startCandidate } from "./testing/candidate.ts";

const timing = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 300 };
const ref = { namespace: "default", name: "deleted" };

const candidate = (cluster: Cluster, identity: string) => startCandidate(cluster, identity, { lease: ref, timing });

test.each([
  ["cannot reach the API server", true],
  ["renews", false],
])(
  "a lease that is deleted under a leader that %s: a candidate that never saw it does not act while the leader may",
  async (_, isolated) => {
    await using cluster = await startCluster();
    await cluster.admin.create(Lease, { metadata: { ...ref } });
    const leader = candidate(cluster, "leader");
    await until("it leads", () => leader.elector.mayAct());
    if (isolated) leader.isolate();
    await cluster.admin.delete(Lease, ref);
    const newcomer = candidate(cluster, "newcomer");
    await until("the newcomer has seen a lease", () => newcomer.elector.lease !== undefined);
    await until("one is certain to lead, whoever it is, and not both", () => {
      const acting = [leader, newcomer].filter(({ elector }) => elector.mayAct());
      expect(acting.length).toBeLessThanOrEqual(1);
      const holder = newcomer.elector.lease?.spec?.holderIdentity;
      return holder === "newcomer" ? newcomer.elector.mayAct() : leader.elector.mayAct();
    });
    await Promise.all([leader.stop(), newcomer.stop()]);
  },
);
