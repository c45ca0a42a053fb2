import { describe, expect, test } from "bun:test";
import { TransportError } from "../transport/transport.ts";
import { hangOnce, outage, setUp, storeWith, theirs } from "./testing/elector-world.ts";
import type { LeaseVerb } from "./testing/fake-lease-store.ts";
import { StallingClock } from "./testing/stalling-clock.ts";

describe("renewing", () => {
  test("one PUT every retry period, acquisition kept", async () => {
    const { clock, store } = setUp();
    await clock.advance(15_000);
    expect(store.calls).toEqual(["GET 200", "PUT 200", "PUT 200", "PUT 200", "PUT 200"]);
    expect(store.lease?.spec).toMatchObject({
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:15.000000Z",
      leaseTransitions: 1,
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

  test("a write that was done and whose answer is lost: read, recognized as ours and written again, not a conflict", async () => {
    let writes = 0;
    const after = (verb: LeaseVerb) =>
      verb === "PUT" && ++writes === 2 ? Promise.reject(new TransportError("reset", "connection reset")) : undefined;
    const { clock, elector, said, store } = setUp({ disturbance: { after } });
    await clock.advance(5_000);
    expect(store.calls).toEqual(["GET 200", "PUT 200", "PUT 200", "GET 200", "PUT 200"]);
    expect([elector.mayAct(), said]).toEqual([true, ["leader me", "started"]]);
  });

  test("failures for longer than the deadline: lost, counted from the last confirmed renewal, with an event", async () => {
    const { state, before } = outage();
    const { clock, end, said, events, elector, metric } = setUp({ disturbance: { before } });
    await clock.advance(5_000);
    expect(await metric("leader_election_master_status")).toEqual(['leader_election_master_status{name="lease"} 1']);
    state.on = true;
    await clock.advance(10_000 - 1);
    expect([elector.isLeader(), elector.mayAct()]).toEqual([true, true]);
    await clock.advance(1);
    expect([elector.isLeader(), elector.mayAct()]).toEqual([false, false]);
    expect(await end).toEqual({ reason: "lost", because: "failed to renew the lease for 10000 ms" });
    expect(said).toEqual(["leader me", "started", "aborted", "stopped"]);
    expect(events.at(-1)).toEndWith("me stopped leading");
    expect(await metric("leader_election_master_status")).toEqual(['leader_election_master_status{name="lease"} 0']);
    expect(clock.waiting).toBe(0);
  });

  test("a leader that may not act any more does not lead any more, whatever the deadline", async () => {
    const { state, before } = outage();
    const timing = { leaseDurationMs: 11_900, renewDeadlineMs: 11_500, retryPeriodMs: 5_000 };
    const { clock, elector } = setUp({ disturbance: { before }, timing });
    await clock.advance(5_000);
    state.on = true;
    await clock.advance(10_000 - 1);
    expect([elector.isLeader(), elector.mayAct()]).toEqual([true, true]);
    await clock.advance(1);
    expect([elector.isLeader(), elector.mayAct()]).toEqual([false, false]);
  });

  test("failing writes are repeated every second: there is little time left", async () => {
    const { state, before } = outage();
    const times: number[] = [];
    const { clock } = setUp({
      disturbance: {
        before: (verb: LeaseVerb) => {
          if (verb === "PUT") times.push(clock.monotonic());
          return before();
        },
      },
    });
    await clock.advance(1_000);
    state.on = true;
    await clock.advance(20_000);
    expect(times).toEqual([0, 5_000, 6_000, 7_000, 8_000, 9_000]);
  });

  test("a write that hangs times out early enough to retry over another connection", async () => {
    const disturbance = hangOnce("PUT", "second");
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
    let writes = 0;
    const never = { before: (verb: LeaseVerb) => (verb === "PUT" && writes++ > 0 ? new Promise<void>(() => {}) : undefined) };
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
    [4_000, "goes on"],
    [5_001, "lost"],
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
      expect(elector.isLeader()).toBe(false);
      expect(await end).toEqual({ reason: "lost", because: `the event loop was blocked for ${stallMs} ms` });
    } else {
      expect(elector.mayAct()).toBe(true);
    }
    expect(log.lines.some((line) => line.message.startsWith("The event loop was blocked"))).toBe(true);
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

  test("are retried while leading, and given up with the leadership", async () => {
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
