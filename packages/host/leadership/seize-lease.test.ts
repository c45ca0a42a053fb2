import { expect, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import type { LeaseClient, V1Lease } from "@csi-sidecars/kube";
import { isFresh, type LegacyLeaseState, nextState, seizeStep } from "./seize-lease.ts";

const me = "pod_csi-sidecars_our-lease_x";
const isOurs = (holder: string) => holder.includes("_our-lease_");
const renewed = (second: string) => `2026-01-01T00:00:${second}Z`;
const lease = (holderIdentity: string | undefined, change: object = {}): V1Lease => ({
  spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: renewed("00.100000"), leaseTransitions: 3, ...change },
});
const record = (holderIdentity: string, renewTime = renewed("00.100000")) => ({
  holderIdentity,
  leaseDurationSeconds: 15,
  acquireTime: undefined,
  renewTime,
  leaseTransitions: 3,
});
const unread: LegacyLeaseState = { state: "unread" };
const watchedSince = (at: number): LegacyLeaseState => ({ state: "watched", since: { record: record("old"), at } });

test.each<[string, V1Lease | undefined, LegacyLeaseState, number, LegacyLeaseState | "take"]>([
  ["does not exist", undefined, unread, 0, { state: "free" }],
  ["vanished while watched", undefined, watchedSince(0), 5_000, { state: "free" }],
  ["released", lease(""), unread, 0, "take"],
  ["never held", lease(undefined), unread, 0, "take"],
  ["released while watched", lease(""), watchedSince(0), 5_000, "take"],
  ["ours already", lease(me), unread, 0, "take"],
  ["seized by one who led before us", lease("pod_csi-sidecars_our-lease_y"), unread, 0, "take"],
  ["a holder, seen for the first time", lease("old"), unread, 7, watchedSince(7)],
  ["a holder, its record as before, its time not over", lease("old"), watchedSince(0), 14_999, watchedSince(0)],
  ["a holder, its record as before, its time over", lease("old"), watchedSince(0), 15_000, "take"],
  [
    "renewed within the same second",
    lease("old", { renewTime: renewed("00.900000") }),
    watchedSince(0),
    5_000,
    { state: "held", holder: "old" },
  ],
  ["renewed", lease("old", { renewTime: renewed("05.100000") }), watchedSince(0), 5_000, { state: "held", holder: "old" }],
  ["renewed after its time", lease("old", { renewTime: renewed("05.100000") }), watchedSince(0), 99_000, { state: "held", holder: "old" }],
  ["another holder", lease("new", { leaseTransitions: 4 }), watchedSince(0), 99_000, { state: "held", holder: "new" }],
  ["taken from us", lease("new"), { state: "seized", at: 0 }, 70_000, { state: "watched", since: { record: record("new"), at: 70_000 } }],
  [
    "held without a duration: dead at the second read",
    lease("old", { leaseDurationSeconds: undefined }),
    unread,
    0,
    {
      state: "watched",
      since: { record: { ...record("old"), leaseDurationSeconds: 0 }, at: 0 },
    },
  ],
])("a legacy lease: %s", (_, found, before, now, then) => {
  expect(nextState(found, before, isOurs, now)).toEqual(then);
});

test("a server that does not answer takes nothing from what was watched, and is in the log", async () => {
  const log = recordingLogger();
  const away = async () => {
    throw new Error("no answer");
  };
  const client: LeaseClient = { get: away, create: away, update: away };
  const context = { client, clock: new FakeClock(), log, me, isOurs, timeoutMs: 1_000, signal: new AbortController().signal };
  const step = (before: LegacyLeaseState) => seizeStep({ namespace: "default", name: "legacy" }, before, context, () => {});
  expect(await step(watchedSince(3))).toEqual(watchedSince(3));
  expect(await step({ state: "seized", at: -60_000 })).toEqual(unread);
  expect(log.lines.map(({ message }) => message)).toEqual(Array(2).fill("Failed to read or take the legacy lease"));
});

test.each<[string, LegacyLeaseState, number, boolean]>([
  ["just seized", { state: "seized", at: 1_000 }, 1_000, true],
  ["seized half its duration ago", { state: "seized", at: 1_000 }, 31_000, false],
  ["not seized", { state: "free" }, 0, false],
])("fresh: %s", (_, state, now, fresh) => {
  expect(isFresh(state, now)).toBe(fresh);
});
