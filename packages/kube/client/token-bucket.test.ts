import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { TransportError } from "../transport/transport.ts";
import { effectiveLimit, TokenBucket } from "./token-bucket.ts";

function bucket(qps: number, burst: number, together?: number) {
  const clock = new FakeClock();
  return { clock, bucket: new TokenBucket({ qps, burst, together }, clock) };
}

/** Takes `count` tokens at once and says at which millisecond each came. */
function takeAll(world: ReturnType<typeof bucket>, count: number): number[] {
  const at: number[] = [];
  for (let i = 0; i < count; i++) {
    const token = world.bucket.take();
    if (token) void token.then(() => at.push(Math.round(world.clock.monotonic())));
    else at.push(Math.round(world.clock.monotonic()));
  }
  return at;
}

describe("effectiveLimit", () => {
  test.each([
    [0, 0, { qps: 5, burst: 10 }],
    [0, 3, { qps: 5, burst: 3 }],
    [20, 40, { qps: 20, burst: 40 }],
    [0.5, 1, { qps: 0.5, burst: 1 }],
    [-1, 0, undefined],
  ])("qps %p, burst %p", (qps, burst, limit) => {
    expect(effectiveLimit({ qps, burst })).toEqual(limit);
  });

  test.each([
    [5, 0],
    [5, -1],
    [0, -1],
  ])("qps %p, burst %p is refused", (qps, burst) => {
    expect(() => effectiveLimit({ qps, burst })).toThrow(
      "burst is required to be greater than 0 when RateLimiter is not set and QPS is set to greater than 0",
    );
  });
});

describe("TokenBucket", () => {
  test("starts full, then gives one token after the other, in the order of asking", async () => {
    const world = bucket(5, 10);
    const at = takeAll(world, 20);
    expect(at).toEqual(Array(10).fill(0));
    await world.clock.advance(2000);
    expect(at).toEqual([...Array(10).fill(0), 200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000]);
  });

  test.each([3, 7, 0.3, 1000])("rates that do not divide a second come out even (%p per second)", async (qps) => {
    const world = bucket(qps, 1);
    const at = takeAll(world, 50);
    await world.clock.advance((49 * 1000) / qps + 0.01);
    expect(at).toEqual(Array.from({ length: 50 }, (_, i) => Math.round((i * 1000) / qps)));
    expect(world.clock.waiting).toBe(0);
  });

  test("never holds more than burst", async () => {
    const world = bucket(5, 2);
    await world.clock.advance(60_000);
    expect(takeAll(world, 4)).toHaveLength(2);
  });

  test("waiters are served together where configured, none earlier than one by one", async () => {
    const world = bucket(10, 4, 3);
    const at = takeAll(world, 4 + 8);
    await world.clock.advance(1000);
    expect(at.slice(4)).toEqual([100, 400, 400, 400, 700, 700, 700, 800]);
    expect(world.clock.waiting).toBe(0);
  });

  test("a single waiter does not wait for others", async () => {
    const world = bucket(10, 1, 10);
    const at = takeAll(world, 2);
    await world.clock.advance(100);
    expect(at).toEqual([0, 100]);
  });

  test("a new request does not overtake waiting ones, even when it comes before a late timer", async () => {
    const { clock, bucket: b } = bucket(1, 1);
    b.take();
    const order: string[] = [];
    clock.after(1000, () => void b.take()?.then(() => order.push("newcomer")));
    void b.take()?.then(() => order.push("first"));
    await clock.advance(1000);
    expect(order).toEqual(["first"]);
    await clock.advance(1000);
    expect(order).toEqual(["first", "newcomer"]);
  });

  test("resolves with the time waited", async () => {
    const { clock, bucket: b } = bucket(2, 1);
    b.take();
    const waited = b.take();
    await clock.advance(500);
    expect(await waited).toBe(500);
  });

  test("a token later than the deadline is not waited for", async () => {
    const { clock, bucket: b } = bucket(5, 1);
    b.take();
    const error = await b.take({ deadline: clock.monotonic() + 199 })?.catch((e) => e);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({
      kind: "timeout",
      message: "client rate limiter Wait returned an error: rate: Wait(n=1) would exceed context deadline",
    });
    expect(clock.waiting).toBe(0);
    const inTime = b.take({ deadline: clock.monotonic() + 200 });
    await clock.advance(200);
    expect(await inTime).toBe(200);
  });

  test("the deadline includes the waiters before", async () => {
    const { clock, bucket: b } = bucket(5, 1);
    b.take();
    void b.take();
    await expect(b.take({ deadline: clock.monotonic() + 399 })).rejects.toThrow("would exceed context deadline");
  });

  test("a cancelled waiter takes no token: all behind it move up", async () => {
    const { clock, bucket: b } = bucket(1, 1);
    b.take();
    const cancel = new AbortController();
    const first = b.take({ signal: cancel.signal });
    const second = b.take();
    await clock.advance(500);
    cancel.abort(new Error("shutdown"));
    await expect(first).rejects.toMatchObject({
      kind: "aborted",
      message: "client rate limiter Wait returned an error: context canceled",
    });
    await clock.advance(500);
    expect(await second).toBe(1000);
    expect(clock.waiting).toBe(0);
  });

  test("the last one cancelled leaves a token behind and no timer", async () => {
    const { clock, bucket: b } = bucket(1, 1);
    b.take();
    const cancel = new AbortController();
    const waiting = b.take({ signal: cancel.signal });
    cancel.abort();
    await expect(waiting).rejects.toThrow("context canceled");
    expect(clock.waiting).toBe(0);
    await clock.advance(1000);
    expect(b.take()).toBeUndefined();
  });

  test("an already cancelled request takes nothing", async () => {
    const { bucket: b } = bucket(1, 1);
    await expect(b.take({ signal: AbortSignal.abort() })).rejects.toThrow("context canceled");
    expect(b.take()).toBeUndefined();
  });
});
