import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import type { V1Lease } from "../resources.ts";
import { hangOnce, ref, setUp, storeWith, theirs } from "./testing/elector-world.ts";
import { FakeLeaseStore } from "./testing/fake-lease-store.ts";

describe("acquiring", () => {
  test("a fresh namespace: the Lease is created at once, with no transitions", async () => {
    const { clock, store, said, events, elector } = setUp({
      ...{ store: new FakeLeaseStore(), labels: { team: "storage" }, annotations: { controllers: "attacher" } },
    });
    await clock.advance(0);
    expect(store.calls).toEqual(["GET 404", "POST 201"]);
    expect(store.lease).toEqual({
      metadata: { ...ref, resourceVersion: "1", labels: { team: "storage" }, annotations: { controllers: "attacher" } },
      spec: {
        holderIdentity: "me",
        leaseDurationSeconds: 15,
        acquireTime: "2026-01-01T00:00:00.000000Z",
        renewTime: "2026-01-01T00:00:00.000000Z",
        leaseTransitions: 0,
      },
    });
    await clock.advance(15_000);
    expect(said).toEqual(["leader me", "started"]);
    expect(events).toEqual(["coordination.k8s.io/v1 Lease lease Normal LeaderElection me became leader"]);
    expect([elector.isLeader(), elector.mayAct()]).toEqual([true, true]);
  });

  const wait: [name: string, spec: object, takesMs: number, transitions: number][] = [
    ["our own identity, written by we do not know whom: after its duration", theirs("me"), 15_000, 5],
    ["a released lease: at once", theirs(""), 0, 5],
    ["a dead holder: after its duration", theirs("other"), 15_000, 5],
    ["a dead holder with a longer duration than ours", theirs("other", { leaseDurationSeconds: 60 }), 60_000, 5],
    ["a dead holder whose clock is ahead", theirs("other", { renewTime: "2036-01-01T00:00:00.000000Z" }), 15_000, 5],
  ];
  test.each(wait)("%s", async (_, spec, takesMs, transitions) => {
    const { clock, store, elector } = setUp({ store: storeWith(spec) });
    if (takesMs > 0) await clock.advance(takesMs - 1);
    expect(elector.isLeader()).toBe(false);
    await clock.advance(1);
    expect(elector.isLeader()).toBe(true);
    expect(store.lease?.spec).toMatchObject({ holderIdentity: "me", leaseTransitions: transitions });
  });

  test("a holder that renews is left alone", async () => {
    const store = storeWith(theirs("other"));
    const { clock, elector, said } = setUp({ store });
    for (let i = 0; i < 20; i++) {
      await clock.advance(5_000);
      store.edit((lease) => {
        lease.spec = theirs("other", { renewTime: new Date(clock.now()).toISOString() });
      });
    }
    expect(elector.isLeader()).toBe(false);
    expect(said).toEqual(["leader other"]);
    expect(elector.check()).toBeUndefined();
  });

  test("a change of the Lease is observed once, a new leader is logged once", async () => {
    const observed: string[] = [];
    const onObserved = ({ spec }: V1Lease) => void observed.push(`${spec?.holderIdentity} ${spec?.renewTime?.slice(11, 19)}`);
    const { clock, log } = setUp({ store: storeWith(theirs("other")), onObserved });
    await clock.advance(14_000);
    expect(observed).toEqual(["other 23:59:59"]);
    await clock.advance(7_000);
    expect(observed).toEqual(["other 23:59:59", "me 00:00:15", "me 00:00:20"]);
    const leaders = log.lines.filter(({ message }) => message === "New leader detected").map(({ fields }) => fields.leader);
    expect(leaders).toEqual(["other", "me"]);
  });

  test("a lease without holder is no new leader", async () => {
    const { clock, log } = setUp({ store: storeWith(theirs("")) });
    await clock.advance(7_000);
    const leaders = log.lines.filter(({ message }) => message === "New leader detected").map(({ fields }) => fields.leader);
    expect(leaders).toEqual(["me"]);
  });

  test("a Lease deleted under another holder is not taken before that one had the time to bring it back or to stop", async () => {
    const store = storeWith(theirs("other"));
    const { clock, elector } = setUp({ store });
    await clock.advance(1_000);
    store.delete();
    await clock.advance(4_000);
    expect(store.calls).toEqual(["GET 200", "GET 404"]);
    await clock.advance(14_999);
    expect(store.lease).toBeUndefined();
    await clock.advance(1);
    expect(store.lease?.spec?.holderIdentity).toBe("me");
    expect(elector.isLeader()).toBe(false);
  });

  test("waits between 1 and 2.2 retry periods", async () => {
    const times: number[] = [];
    const clock = new FakeClock();
    let dice = 0;
    const disturbance = { before: () => void times.push(clock.monotonic()) };
    setUp({
      clock,
      store: storeWith(theirs("other", { leaseDurationSeconds: 600 })),
      disturbance,
      random: () => [0, 0.5, 0.999][dice++ % 3]!,
    });
    await clock.advance(25_000);
    expect(times).toEqual([0, 5_000, 13_000, 13_000 + 10_994]);
  });

  test("a call that hangs ends at the deadline, and the next try comes", async () => {
    const { clock, store, elector } = setUp({ disturbance: hangOnce("GET") });
    await clock.advance(10_000);
    expect(elector.isLeader()).toBe(false);
    await clock.advance(5_000);
    expect(elector.isLeader()).toBe(true);
    expect(store.calls).toEqual(["GET 200", "PUT 200"]);
  });

  test("stopped before leading: cancelled, without callbacks", async () => {
    const { clock, stop, end, said, events } = setUp({ store: storeWith(theirs("other")) });
    await clock.advance(3_000);
    stop.abort();
    expect(await end).toEqual({ reason: "cancelled" });
    expect(said).toEqual(["leader other"]);
    expect(events).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  test("the Lease of the acquiring write is handed over, with others' annotations", async () => {
    const store = storeWith(theirs(""));
    store.edit((lease) => {
      lease.metadata!.annotations = { "migration.csi.k8s.io/status": "completed" };
    });
    const leases: unknown[] = [];
    const { clock } = setUp({ store, onStartedLeading: (lease) => void leases.push(lease) });
    await clock.advance(0);
    expect(leases).toEqual([store.lease]);
    expect(store.lease?.metadata?.annotations).toEqual({ "migration.csi.k8s.io/status": "completed" });
  });
});

test("durations that cannot work are refused at construction", () => {
  expect(() => setUp({ timing: { leaseDurationMs: 10_000, renewDeadlineMs: 10_000, retryPeriodMs: 5_000 } })).toThrow(
    "leaseDuration must be greater than renewDeadline",
  );
});
