import { describe, expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import type { InvolvedObject } from "../events/involved-object.ts";
import { TransportError } from "../transport/transport.ts";
import type { LeaderElectorOptions } from "./election.ts";
import { electionMetrics } from "./election-metrics.ts";
import { LeaderElector } from "./leader-elector.ts";
import { type Disturbance, FakeLeaseStore, type LeaseVerb } from "./testing/fake-lease-store.ts";

const ref = { namespace: "csi", name: "lease" };

function setUp(options: Partial<LeaderElectorOptions> & { store?: FakeLeaseStore; clock?: FakeClock; disturbance?: Disturbance } = {}) {
  const clock = options.clock ?? new FakeClock();
  const store = options.store ?? new FakeLeaseStore();
  const log = recordingLogger();
  const events: string[] = [];
  const registry = new Registry();
  const said: string[] = [];
  const elector = new LeaderElector({
    client: store.client(options.disturbance),
    lease: ref,
    identity: "me",
    clock,
    log,
    random: () => 0,
    events: {
      event: (about: InvolvedObject, type, reason, message) =>
        void events.push(`${about.apiVersion} ${about.kind} ${about.name} ${type} ${reason} ${message}`),
    },
    metrics: electionMetrics(registry),
    onStartedLeading: (_, signal) => {
      said.push("started");
      signal.addEventListener("abort", () => said.push("aborted"));
    },
    onStoppedLeading: () => said.push("stopped"),
    onNewLeader: (identity) => said.push(`leader ${identity}`),
    ...options,
  });
  const stop = new AbortController();
  const end = elector.run(stop.signal);
  const metric = async (name: string) => (await registry.metrics()).split("\n").filter((line) => line.startsWith(`${name}{`));
  return { clock, store, log, events, said, elector, stop, end, metric };
}

const theirs = (holderIdentity: string, change: object = {}) => ({
  holderIdentity,
  leaseDurationSeconds: 15,
  acquireTime: "2025-12-31T23:00:00.000000Z",
  renewTime: "2025-12-31T23:59:59.000000Z",
  leaseTransitions: 4,
  ...change,
});

function storeWith(spec: object): FakeLeaseStore {
  const store = new FakeLeaseStore();
  store.edit((lease) => {
    lease.spec = spec;
  });
  return store;
}

/** Calls fail while this is on. */
function outage() {
  const state = { on: false };
  return { state, before: () => (state.on ? Promise.reject(new TransportError("reset", "connection reset")) : undefined) };
}

describe("acquiring", () => {
  test("a fresh namespace: the Lease is created, with no transitions", async () => {
    const { clock, store, said, events, elector } = setUp({ labels: { team: "storage" }, annotations: { controllers: "attacher" } });
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
    expect(said).toEqual(["leader me", "started"]);
    expect(events).toEqual(["coordination.k8s.io/v1 Lease lease Normal LeaderElection me became leader"]);
    expect([elector.isLeader(), elector.mayAct()]).toEqual([true, true]);
  });

  const wait: [name: string, spec: object, takesMs: number, transitions: number][] = [
    ["our own identity: at once, as if we had never been away", theirs("me"), 0, 4],
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

  test("a Lease deleted under another holder is not taken before that one had the time to bring it back or to stop", async () => {
    const store = storeWith(theirs("other"));
    const { clock, elector } = setUp({ store });
    await clock.advance(1_000);
    store.delete();
    await clock.advance(4_000);
    expect(store.calls).toEqual(["GET 200", "GET 404"]);
    await clock.advance(14_999);
    expect(elector.isLeader()).toBe(false);
    await clock.advance(1);
    expect(elector.isLeader()).toBe(true);
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
    expect(store.calls).toEqual(["GET 404", "POST 201"]);
  });

  test("told to end before leading: cancelled, without callbacks", async () => {
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

describe("renewing", () => {
  test("one PUT every retry period, acquisition kept", async () => {
    const { clock, store } = setUp();
    await clock.advance(15_000);
    expect(store.calls).toEqual(["GET 404", "POST 201", "PUT 200", "PUT 200", "PUT 200"]);
    expect(store.lease?.spec).toMatchObject({
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:15.000000Z",
      leaseTransitions: 0,
    });
  });

  test("a label edited by someone else: read and written again in the same attempt", async () => {
    const { clock, store, elector, metric } = setUp();
    await clock.advance(0);
    store.edit((lease) => {
      lease.metadata!.labels = { edited: "yes" };
    });
    store.calls.length = 0;
    await clock.advance(5_000);
    expect(store.calls).toEqual(["PUT 409", "GET 200", "PUT 200"]);
    expect(store.lease?.metadata?.labels).toEqual({ edited: "yes" });
    expect(elector.mayAct()).toBe(true);
    expect(await metric("leader_election_slowpath_total")).toEqual(['leader_election_slowpath_total{name="lease"} 1']);
  });

  test("deleted by an admin: created again with acquisition, transitions, labels and annotations as they were", async () => {
    const store = storeWith(theirs(""));
    store.edit((lease) => {
      lease.metadata!.annotations = { marker: "completed" };
    });
    const { clock, said } = setUp({ store, annotations: { controllers: "attacher" }, labels: { a: "b" } });
    await clock.advance(1_000);
    store.delete();
    store.calls.length = 0;
    await clock.advance(4_000);
    expect(store.calls).toEqual(["PUT 404", "GET 404", "POST 201"]);
    expect(store.lease).toMatchObject({
      metadata: { labels: { a: "b" }, annotations: { marker: "completed", controllers: "attacher" } },
      spec: { acquireTime: "2026-01-01T00:00:00.000000Z", leaseTransitions: 5, renewTime: "2026-01-01T00:00:05.000000Z" },
    });
    expect(said).toEqual(["leader ", "leader me", "started"]);
  });

  test("two failing writes, then success within the deadline: still leader", async () => {
    let failures = 2;
    const before = (verb: LeaseVerb) =>
      verb === "PUT" && failures-- > 0 ? Promise.reject(new TransportError("reset", "connection reset")) : undefined;
    const { clock, elector, said, store } = setUp({ disturbance: { before } });
    await clock.advance(14_000);
    expect(elector.mayAct()).toBe(true);
    expect(said).toEqual(["leader me", "started"]);
    expect(store.calls.filter((call) => call === "PUT 200")).not.toBeEmpty();
  });

  test("failures for longer than the deadline: lost, within 15 s of the last success, with an event", async () => {
    const { state, before } = outage();
    const { clock, end, said, events, elector, metric } = setUp({ disturbance: { before } });
    await clock.advance(5_000);
    expect(await metric("leader_election_master_status")).toEqual(['leader_election_master_status{name="lease"} 1']);
    state.on = true;
    await clock.advance(14_000 - 1);
    expect([elector.isLeader(), elector.mayAct()]).toEqual([true, true]);
    await clock.advance(1);
    expect([elector.isLeader(), elector.mayAct()]).toEqual([true, false]);
    await clock.advance(1_000);
    expect(await end).toEqual({ reason: "lost", because: "failed to renew the lease for 10000 ms" });
    expect(said).toEqual(["leader me", "started", "aborted", "stopped"]);
    expect(events.at(-1)).toEndWith("me stopped leading");
    expect(await metric("leader_election_master_status")).toEqual(['leader_election_master_status{name="lease"} 0']);
    expect(clock.waiting).toBe(0);
  });

  test("a write that hangs is cut off early enough to try over another connection", async () => {
    const disturbance = hangOnce("PUT");
    const { clock, elector, said } = setUp({ disturbance });
    await clock.advance(0);
    disturbance.arm(clock);
    await clock.advance(16_000);
    expect(said).toEqual(["leader me", "started"]);
    expect(elector.mayAct()).toBe(true);
  });

  test("another holder in the Lease: lost at once", async () => {
    const { clock, store, end, elector } = setUp();
    await clock.advance(1_000);
    store.edit((lease) => {
      lease.spec = theirs("other");
    });
    await clock.advance(4_000);
    expect(await end).toEqual({ reason: "lost", because: 'the lease is held by "other"' });
    expect(elector.isLeader()).toBe(false);
    expect(store.lease?.spec?.holderIdentity).toBe("other");
  });

  test("health: unhealthy when leading and not renewed for the duration and the grace", async () => {
    const never = { before: (verb: LeaseVerb) => (verb === "PUT" ? new Promise<void>(() => {}) : undefined) };
    const { clock, elector } = setUp({ disturbance: never });
    await clock.advance(35_000);
    expect(elector.check()).toBeUndefined();
    await clock.advance(1);
    expect(elector.check()?.message).toBe("failed election to renew leadership on lease lease");
    expect(elector.check(60_000)).toBeUndefined();
  });
});

describe("an event loop that stands still", () => {
  const stalls: [stallMs: number, end: "goes on" | "lost"][] = [
    [2_000, "goes on"],
    [9_000, "goes on"],
    [20_000, "lost"],
  ];
  test.each(stalls)("for %p ms after a renewal was due: %s", async (stallMs, expected) => {
    const clock = new StallingClock();
    const { elector, end, log } = setUp({ clock });
    await clock.advance(1_000);
    clock.stallMs = stallMs;
    await clock.advance(4_000);
    clock.stallMs = 0;
    if (expected === "lost") {
      expect(elector.mayAct()).toBe(false);
      expect(await end).toEqual({ reason: "lost", because: `the event loop stood still for ${stallMs} ms` });
    } else {
      expect(elector.mayAct()).toBe(true);
    }
    expect(log.lines.some((line) => line.message.startsWith("The event loop stood still"))).toBe(true);
  });
});

describe("annotations", () => {
  test("are written at once and with every renewal, beside those of others", async () => {
    const { clock, store, elector } = setUp({ annotations: { controllers: "attacher" } });
    await clock.advance(1_000);
    store.edit((lease) => {
      lease.metadata!.annotations = { foreign: "1" };
    });
    const lease = await elector.annotate({ marker: "completed" });
    const all = { foreign: "1", controllers: "attacher", marker: "completed" };
    expect(lease.metadata?.annotations).toEqual(all);
    store.delete();
    await clock.advance(5_000);
    expect(store.lease?.metadata?.annotations).toEqual(all);
    expect(elector.mayAct()).toBe(true);
  });

  test("are tried again while leading, and given up with the leadership", async () => {
    const { state, before } = outage();
    const { clock, elector, end } = setUp({ disturbance: { before } });
    await clock.advance(1_000);
    state.on = true;
    const retried = elector.annotate({ marker: "completed" });
    await clock.advance(1_000);
    state.on = false;
    await clock.advance(5_000);
    expect((await retried).metadata?.annotations).toEqual({ marker: "completed" });
    state.on = true;
    const lost = elector.annotate({ marker: "again" }).catch(String);
    await clock.advance(30_000);
    expect(await lost).toContain("ended before its annotations were written");
    expect((await end).reason).toBe("lost");
  });
});

describe("ending", () => {
  test("release: holder empty, one second, transitions kept", async () => {
    const { clock, store, stop, end, said, events, elector } = setUp({ store: storeWith(theirs("")), mayRelease: () => true });
    await clock.advance(7_000);
    stop.abort();
    expect(await end).toEqual({ reason: "released" });
    expect(store.lease?.spec).toEqual({
      holderIdentity: "",
      leaseDurationSeconds: 1,
      acquireTime: "2026-01-01T00:00:07.000000Z",
      renewTime: "2026-01-01T00:00:07.000000Z",
      leaseTransitions: 5,
    });
    expect(said).toEqual(["leader ", "leader me", "started", "aborted", "stopped", "leader "]);
    expect(events.at(-1)).toEndWith("me stopped leading");
    expect(elector.mayAct()).toBe(false);
    expect(clock.waiting).toBe(0);
  });

  test("without permission to release the lease is left to expire", async () => {
    const { clock, store, stop, end } = setUp({ mayRelease: () => false });
    await clock.advance(1_000);
    stop.abort();
    expect(await end).toEqual({ reason: "cancelled" });
    expect(store.lease?.spec?.holderIdentity).toBe("me");
  });

  test("a lease that another has by now is not touched", async () => {
    const { clock, store, stop, end } = setUp({ mayRelease: () => true });
    await clock.advance(1_000);
    store.edit((lease) => {
      lease.spec = theirs("other");
    });
    stop.abort();
    expect(await end).toEqual({ reason: "cancelled" });
    expect(store.lease?.spec).toEqual(theirs("other"));
  });

  test("a release that fails is only logged, and bounded by the renew deadline", async () => {
    const hang = { state: false, before: (_: LeaseVerb, signal?: AbortSignal) => (hang.state ? aborted(signal) : undefined) };
    const { clock, stop, end, log } = setUp({ mayRelease: () => true, disturbance: hang });
    await clock.advance(1_000);
    hang.state = true;
    stop.abort();
    await clock.advance(10_000);
    expect(await end).toEqual({ reason: "cancelled" });
    expect(log.lines.at(-1)?.message).toStartWith("Failed to release the lease");
  });

  test("it can run again and lead again", async () => {
    const { clock, stop, end, elector } = setUp({ mayRelease: () => true });
    await clock.advance(1_000);
    stop.abort();
    await end;
    void elector.run(new AbortController().signal);
    await clock.advance(0);
    expect(elector.mayAct()).toBe(true);
  });

  test("a standby takes over at its next look after a release", async () => {
    const [store, clock] = [new FakeLeaseStore(), new FakeClock()];
    const first = setUp({ store, clock, mayRelease: () => true });
    await clock.advance(0);
    const second = setUp({ store, clock, identity: "standby" });
    await clock.advance(1_000);
    first.stop.abort();
    await first.end;
    await clock.advance(11_000);
    expect(second.elector.mayAct()).toBe(true);
    expect(store.lease?.spec?.leaseTransitions).toBe(1);
  });
});

test("durations that cannot work are refused at construction", () => {
  expect(() => setUp({ timing: { leaseDurationMs: 10_000, renewDeadlineMs: 10_000, retryPeriodMs: 5_000 } })).toThrow(
    "leaseDuration must be greater than renewDeadline",
  );
});

/** Resolves never, rejects when the signal aborts. */
function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

/** The next call of this verb hangs, as on a connection that died: it ends with the signal, or after the call's own timeout. */
function hangOnce(verb: LeaseVerb) {
  let left = 1;
  let clock: FakeClock | undefined;
  return {
    arm(on: FakeClock) {
      clock = on;
      left = 1;
    },
    before(called: LeaseVerb, signal: AbortSignal | undefined) {
      if (called !== verb || left-- <= 0) return undefined;
      const timeout = clock?.sleep(6_667).then(() => Promise.reject(new TransportError("timeout", "timeout")));
      return timeout ? Promise.race([timeout, aborted(signal)]) : aborted(signal);
    },
  };
}

/** Timers that fire while `stallMs` is set find that so much more time has passed. */
class StallingClock extends FakeClock {
  stallMs = 0;
  #stalled = 0;

  override monotonic(): number {
    return super.monotonic() + this.#stalled;
  }

  override after(ms: number, fn: () => void) {
    return super.after(ms, () => {
      this.#stalled += this.stallMs;
      this.stallMs = 0;
      fn();
    });
  }
}
