import { describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { isAbort } from "../queue/reconcile-result.ts";
import { PersistentVolume, VolumeAttachment } from "../resources.ts";
import { mergePatch } from "./patch.ts";
import { isTooManyRequests } from "./status-error.ts";
import { clientWorld } from "./testing/client-world.ts";
import { json, type Script } from "./testing/scripted-server.ts";
import { MootRequestError } from "./with-retry.ts";

const ok: Script = (_request, response) => json(response, {});
const pv = { name: "pv-1" };
const attachment = { metadata: { name: "a" }, spec: { attacher: "a", nodeName: "n", source: {} } };
type World = Awaited<ReturnType<typeof clientWorld>>;

/** Moves the clock by `ms` once the client waits for it, then lets `count` requests arrive in all. */
async function advanceTo(world: World, ms: number, count: number): Promise<void> {
  await until("the client to wait", () => world.clock.waiting > 0);
  await world.clock.advance(ms);
  await until(`request ${count}`, () => world.requests.length >= count);
}

describe("throttling", () => {
  test("scenario 18: qps 5, burst 10: of 20 GETs ten go at once, the 20th after 2 s", async () => {
    await using world = await clientWorld(ok, { qps: 5, burst: 10 });
    const all = Promise.all(Array.from({ length: 20 }, () => world.client.get(PersistentVolume, pv)));
    await until("the burst", () => world.requests.length === 10);
    await world.clock.advance(1999);
    await until("all but the last", () => world.requests.length === 19);
    expect(world.requests).toHaveLength(19);
    await world.clock.advance(1);
    await all;
    expect(world.requests).toHaveLength(20);
  });

  test("scenario 19: a watch takes no token", async () => {
    await using world = await clientWorld((_request, response) => response.end(), { qps: 1, burst: 1 });
    for (let i = 0; i < 5; i++) await world.client.watch(PersistentVolume, {});
    expect(world.requests).toHaveLength(5);
    await using second = await clientWorld(ok, { qps: 1, burst: 1 });
    await second.client.watch(PersistentVolume, {});
    await second.client.get(PersistentVolume, pv);
    expect(second.requests).toHaveLength(2);
  });

  test("scenario 20: a deadline before the next token is an error at once, without a request", async () => {
    await using world = await clientWorld(ok, { qps: 1, burst: 1 });
    await world.client.get(PersistentVolume, pv);
    await expect(world.client.get(PersistentVolume, pv, { deadline: world.clock.monotonic() + 100 })).rejects.toThrow(
      "client rate limiter Wait returned an error: rate: Wait(n=1) would exceed context deadline",
    );
    expect(world.requests).toHaveLength(1);
  });

  test("a wait for its own limit is logged with the client's name", async () => {
    await using world = await clientWorld(ok, { qps: 1, burst: 1, name: "resizer" });
    await world.client.get(PersistentVolume, pv);
    const second = world.client.get(PersistentVolume, pv);
    await world.clock.advance(1000);
    await second;
    expect(world.log.lines.map((line) => [line.level, line.fields.client ?? line.fields.reason])).toEqual([
      [3, "client-side throttling, not priority and fairness"],
      [0, "resizer"],
    ]);
  });

  test("a request that is moot when its token comes is not sent", async () => {
    await using world = await clientWorld(ok, { qps: 1, burst: 1 });
    let isGone = false;
    const remove = () => world.client.patch(PersistentVolume, pv, mergePatch({}), { isMoot: () => isGone });
    await remove();
    const second = remove().catch((error: unknown) => error);
    await until("the client to wait", () => world.clock.waiting > 0);
    isGone = true;
    await world.clock.advance(1000);
    expect(await second).toBeInstanceOf(MootRequestError);
    expect(isAbort(await second)).toBe(true);
    expect(world.requests).toHaveLength(1);
  });

  test("a limit without burst is refused when the client is made", async () => {
    await expect(clientWorld(ok, { qps: 5, burst: 0 })).rejects.toThrow("burst is required to be greater than 0");
  });
});

describe("retries", () => {
  test("scenario 21: 429 with Retry-After: 2 on POST is retried after 2 s, ten times at most", async () => {
    await using world = await clientWorld((_request, response) => json(response, {}, 429, { "retry-after": "2" }));
    const result = world.client.create(VolumeAttachment, attachment).catch((error) => error);
    await until("the first attempt", () => world.requests.length === 1);
    await until("the client to wait", () => world.clock.waiting > 0);
    await world.clock.advance(1999);
    expect(world.requests).toHaveLength(1);
    await world.clock.advance(1);
    for (let count = 3; count <= 11; count++) await advanceTo(world, 2000, count);
    const error = await result;
    expect(isTooManyRequests(error)).toBe(true);
    expect(error.status.details.retryAfterSeconds).toBe(2);
    expect(world.requests).toHaveLength(11);
    expect(new Set(world.requests.map((request) => request.body)).size).toBe(1);
    expect(world.clock.waiting).toBe(0);
  });

  test("scenario 22: 503 without Retry-After is not retried", async () => {
    await using world = await clientWorld((_request, response) => json(response, {}, 503));
    await expect(world.client.get(PersistentVolume, pv)).rejects.toMatchObject({ status: { reason: "ServiceUnavailable" } });
    expect(world.requests).toHaveLength(1);
  });

  test("a retry succeeds", async () => {
    await using world = await clientWorld((_request, response, index) =>
      index === 0 ? json(response, {}, 503, { "retry-after": "1" }) : json(response, { metadata: { name: "a" } }),
    );
    const result = world.client.patch(VolumeAttachment, { name: "a" }, { type: "merge", body: {} });
    await advanceTo(world, 1000, 2);
    expect((await result).metadata?.name).toBe("a");
  });

  test("a retry takes another token", async () => {
    await using world = await clientWorld(
      (_request, response, index) => json(response, {}, index === 0 ? 429 : 200, index === 0 ? { "retry-after": "0" } : {}),
      { qps: 0.1, burst: 1 },
    );
    const result = world.client.get(PersistentVolume, pv);
    await until("the pause", () => world.clock.waiting > 0);
    await world.clock.advance(0);
    await until("the wait for a token", () => world.clock.waiting > 0);
    await world.clock.advance(9999);
    expect(world.requests).toHaveLength(1);
    await world.clock.advance(1);
    await result;
    expect(world.log.lines.find((line) => line.level === 3)?.fields.reason).toContain("due to server-side throttling");
  });

  test("a GET whose connection is reset is retried after 1 s", async () => {
    await using world = await clientWorld((_request, response, index) => (index === 0 ? response.socket?.destroy() : json(response, {})));
    const result = world.client.get(PersistentVolume, pv);
    await advanceTo(world, 1000, 2);
    await result;
  });

  test("a PATCH whose connection is reset is not retried", async () => {
    await using world = await clientWorld((_request, response) => response.socket?.destroy());
    await expect(world.client.patch(PersistentVolume, pv, { type: "merge", body: {} })).rejects.toMatchObject({ kind: "reset" });
    expect(world.requests).toHaveLength(1);
  });

  test("a caller that aborts during the pause gets an error at once", async () => {
    const stop = new AbortController();
    await using world = await clientWorld((_request, response) => json(response, {}, 429, { "retry-after": "60" }));
    const result = world.client.get(PersistentVolume, pv, { signal: stop.signal });
    await until("the pause", () => world.clock.waiting > 0);
    stop.abort();
    await expect(result).rejects.toMatchObject({ kind: "aborted" });
    expect(world.clock.waiting).toBe(0);
  });

  test("a pause longer than the deadline is not started: the last response is the result", async () => {
    await using world = await clientWorld((_request, response) => json(response, {}, 429, { "retry-after": "60" }));
    const error = await world.client.get(PersistentVolume, pv, { deadline: world.clock.monotonic() + 10_000 }).catch((e) => e);
    expect(isTooManyRequests(error)).toBe(true);
  });
});
