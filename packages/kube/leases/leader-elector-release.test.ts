import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { aborted, setUp, storeWith, theirs } from "./testing/elector-world.ts";
import type { LeaseVerb } from "./testing/fake-lease-store.ts";

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
    const { clock, store, stop, end, elector } = setUp({ mayRelease: () => false });
    await clock.advance(1_000);
    expect([elector.isLeader(), elector.mayAct()]).toEqual([true, true]);
    stop.abort();
    expect(await end).toEqual({ reason: "cancelled" });
    expect([elector.isLeader(), elector.mayAct()]).toEqual([false, false]);
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
    const [store, clock] = [storeWith({}), new FakeClock()];
    const first = setUp({ store, clock, mayRelease: () => true });
    await clock.advance(0);
    const second = setUp({ store, clock, identity: "standby" });
    await clock.advance(1_000);
    first.stop.abort();
    await first.end;
    await clock.advance(11_000);
    expect(second.elector.mayAct()).toBe(true);
    expect(store.lease?.spec?.leaseTransitions).toBe(2);
  });
});
