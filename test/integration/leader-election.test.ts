import { expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { type ElectionEnd, isNotFound, LeaderElector, Lease, mergePatch } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { clientOver } from "./testing/client-of.ts";

const timing = { leaseDurationMs: 2_000, renewDeadlineMs: 1_500, retryPeriodMs: 300 };
const ref = { namespace: "default", name: "election" };

interface Candidate {
  readonly elector: LeaderElector;
  /** When leadership began and ended. */
  readonly terms: string[];
  readonly ended: Promise<ElectionEnd>;
  stop(): Promise<ElectionEnd>;
  /** As if the process died: nothing reaches the server any more. */
  crash(): void;
}

function candidate(cluster: Cluster, identity: string, labels: Record<string, string> = {}): Candidate {
  const transport = cluster.transport(cluster.adminToken);
  const terms: string[] = [];
  const elector = new LeaderElector({
    client: clientOver(transport, identity),
    lease: ref,
    identity,
    timing,
    labels,
    mayRelease: () => true,
    onStartedLeading: () => void terms.push("started"),
    onStoppedLeading: () => void terms.push("stopped"),
  });
  const abort = new AbortController();
  const ended = elector.run(abort.signal);
  return {
    elector,
    terms,
    ended,
    stop() {
      abort.abort();
      return ended;
    },
    crash: () => transport.close(),
  };
}

const leaseOf = (cluster: Cluster) => cluster.admin.get(Lease, ref);

test("of two candidates one leads; when it releases, the other takes over", async () => {
  await using cluster = await startCluster();
  const a = candidate(cluster, "a", { team: "storage" });
  await until("a leads", () => a.elector.mayAct());
  const b = candidate(cluster, "b");
  await until("b has seen the leader", () => b.elector.lease !== undefined);
  expect([a.elector.isLeader(), b.elector.isLeader()]).toEqual([true, false]);
  const held = await leaseOf(cluster);
  expect(held.spec).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 2, leaseTransitions: 0 });
  expect(held.spec?.renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect(held.metadata?.labels).toEqual({ team: "storage" });

  expect(await a.stop()).toEqual({ reason: "released" });
  await until("b leads", () => b.elector.mayAct());
  const taken = await leaseOf(cluster);
  expect(taken.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  expect(taken.metadata?.labels).toEqual({ team: "storage" });
  expect([a.terms, b.terms]).toEqual([["started", "stopped"], ["started"]]);
  await b.stop();
  expect((await leaseOf(cluster)).spec?.holderIdentity ?? "").toBe("");
});

test("a leader that went silent is replaced when its lease has expired, and not before", async () => {
  await using cluster = await startCluster();
  const a = candidate(cluster, "a");
  await until("a leads", () => a.elector.mayAct());
  const b = candidate(cluster, "b");
  await until("b has seen the leader", () => b.elector.lease !== undefined);
  a.crash();
  await until("b leads", () => b.elector.isLeader());
  expect(a.elector.mayAct()).toBe(false);
  expect(await a.ended).toMatchObject({ reason: "lost" });
  expect((await leaseOf(cluster)).spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  await b.stop();
});

test("a deleted lease is created again by the same holder", async () => {
  await using cluster = await startCluster();
  const a = candidate(cluster, "a", { team: "storage" });
  await until("a leads", () => a.elector.mayAct());
  const b = candidate(cluster, "b");
  await until("b has seen the leader", () => b.elector.lease !== undefined);
  const before = await leaseOf(cluster);
  await cluster.admin.delete(Lease, ref);
  await until("the lease is back", async () => {
    const now = await leaseOf(cluster).catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error)));
    return now !== undefined && now.metadata?.uid !== before.metadata?.uid;
  });
  const after = await leaseOf(cluster);
  expect([after.spec?.holderIdentity, after.spec?.acquireTime, after.metadata?.labels]).toEqual([
    "a",
    before.spec?.acquireTime,
    { team: "storage" },
  ]);
  expect([a.terms, b.terms]).toEqual([["started"], []]);
  await Promise.all([a.stop(), b.stop()]);
});

test("a label written by others stays, and the lease is kept", async () => {
  await using cluster = await startCluster();
  const a = candidate(cluster, "a");
  await until("a leads", () => a.elector.mayAct());
  const edited = await cluster.admin.patch(Lease, ref, mergePatch({ metadata: { labels: { edited: "yes" } } }));
  await until("a renewed", async () => (await leaseOf(cluster)).spec?.renewTime !== edited.spec?.renewTime);
  const renewed = await leaseOf(cluster);
  expect([renewed.metadata?.labels, renewed.spec?.holderIdentity, renewed.spec?.leaseTransitions]).toEqual([{ edited: "yes" }, "a", 0]);
  expect(a.terms).toEqual(["started"]);
  const conflicts = await cluster.requests({ resource: "leases", verb: "update", code: 409 });
  expect(conflicts).toHaveLength(1);
  await a.stop();
});

test("taking over the lease ends the leadership", async () => {
  await using cluster = await startCluster();
  const a = candidate(cluster, "a");
  await until("a leads", () => a.elector.mayAct());
  await cluster.admin.patch(Lease, ref, mergePatch({ spec: { holderIdentity: "usurper", leaseTransitions: 7 } }));
  expect(await a.ended).toEqual({ reason: "lost", because: 'the lease is held by "usurper"' });
  expect((await leaseOf(cluster)).spec?.holderIdentity).toBe("usurper");
});
