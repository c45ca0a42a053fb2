import { expect, test } from "bun:test";
import { silentLogger } from "@csi-sidecars/base";
import { FakeClock } from "@csi-sidecars/base/testing";
import { type Client, projectorFor, StatusError } from "@csi-sidecars/kube";
import { ClaimVerdicts } from "./claim-verdicts.ts";
import { EarlierWarnings } from "./earlier-warnings.ts";
import { claimFields } from "./fields.ts";
import { reconcileClaim } from "./reconcile-claim.ts";
import { book, claimOf } from "./testing/objects.ts";

/** One claim that needs a populator; `told` has what was counted and told of it. */
function world({ delayMs = 0, list = () => {}, warnedBefore = false } = {}) {
  const claim = projectorFor(claimFields)({ ...claimOf("data", book), metadata: { name: "data", namespace: "default", uid: "uid" } });
  const clock = new FakeClock();
  const told: string[] = [];
  const state = { isRegistered: false, isThere: true };
  const kube = {
    async list() {
      list();
      return { metadata: {}, items: warnedBefore ? [{ involvedObject: { uid: "uid" } }] : [] };
    },
  };
  const reconcile = reconcileClaim({
    caches: { claims: { get: () => (state.isThere ? claim : undefined) }, isRegistered: () => state.isRegistered },
    verdicts: new ClaimVerdicts(clock, delayMs),
    earlierWarnings: new EarlierWarnings({ kube: kube as unknown as Pick<Client, "list">, clock, log: silentLogger }),
    metrics: { count: (result) => void told.push(result) },
    events: { warning: (_claim, reason) => void told.push(reason) },
    log: silentLogger,
  });
  /** Until nothing is left to do now. */
  const run = async () => {
    for (;;) {
      const result = await reconcile("default/data", AbortSignal.any([]));
      if (result.next !== "requeue" || result.afterMs > 0) return result;
    }
  };
  return { clock, told, state, run, reconcile };
}

test("a claim that is looked at again while its populator is still missing is not warned about again", async () => {
  const { told, run } = world();
  await run();
  await run();
  expect(told).toEqual(["invalid", "UnrecognizedDataSourceKind"]);
});

test("the delay is waited for", async () => {
  const { clock, told, run } = world({ delayMs: 2_000 });
  expect(await run()).toEqual({ next: "requeue", afterMs: 2_000 });
  await clock.advance(1_500);
  expect(await run()).toEqual({ next: "requeue", afterMs: 500 });
  await clock.advance(500);
  expect(await run()).toEqual({ next: "done" });
  expect(told).toEqual(["invalid", "UnrecognizedDataSourceKind"]);
});

test("a claim that an earlier process has warned about is not warned about again, unless its populator was there since", async () => {
  const { told, state, run } = world({ warnedBefore: true });
  await run();
  expect(told).toEqual(["invalid"]);
  state.isRegistered = true;
  await run();
  state.isRegistered = false;
  await run();
  expect(told).toEqual(["invalid", "populator", "invalid", "UnrecognizedDataSourceKind"]);
});

test("a populator that is there at the start and removed later is a reason to warn, whatever an earlier process has told", async () => {
  const { told, state, run } = world({ warnedBefore: true });
  state.isRegistered = true;
  await run();
  state.isRegistered = false;
  await run();
  expect(told).toEqual(["populator", "invalid", "UnrecognizedDataSourceKind"]);
});

test.each<[what: string, change: object, told: readonly string[]]>([
  ["a populator that is registered", { isRegistered: true }, ["populator"]],
  ["a claim that is deleted", { isThere: false }, []],
])("%s while earlier events are read is noticed", async (_what, change, expected) => {
  const { told, state, run } = world({ list: () => Object.assign(state, change) });
  await run();
  expect(told).toEqual([...expected]);
});

test("while earlier events cannot be read, all claims together try it once in a while, less and less often", async () => {
  let lists = 0;
  let isReadable = false;
  const list = () => {
    lists++;
    if (!isReadable) throw new StatusError({ code: 500, reason: "InternalError", message: "no" });
  };
  const { clock, told, reconcile } = world({ list });
  /** One after the other, as with few workers. Returns when the last of them is looked at again. */
  const lookAtMany = async () => {
    let waitsMs = 0;
    for (let i = 0; i < 100; i++) {
      const result = await reconcile("default/data", AbortSignal.any([])).catch(() => ({ next: "requeue", afterMs: 0 }) as const);
      if (result.next === "requeue") waitsMs = result.afterMs;
    }
    return waitsMs;
  };
  const waits: number[] = [];
  for (let i = 1; i <= 8; i++) {
    const waitsMs = await lookAtMany();
    expect(lists).toBe(i);
    waits.push(Math.floor(waitsMs / 1_000));
    await clock.advance(waitsMs);
  }
  for (const [i, least] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    expect(waits[i]).toBeGreaterThanOrEqual(least);
    expect(waits[i]).toBeLessThanOrEqual(least * 1.1);
  }
  expect(told).toEqual([]);
  isReadable = true;
  await lookAtMany();
  expect([lists, told]).toEqual([9, ["invalid", "UnrecognizedDataSourceKind"]]);
});
