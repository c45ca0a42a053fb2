import { expect, test } from "bun:test";
import type { V1Lease } from "@csi-sidecars/kube";
import { isHeldAgain, isSuspect, type LeaseObservation } from "./legacy-lease-watch.ts";

const renewed = (second: string) => `2026-01-01T00:00:${second}Z`;
const lease = (holderIdentity: string, change: object = {}): V1Lease => ({
  spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: renewed("00.100000"), leaseTransitions: 3, ...change },
});
const record = (holderIdentity: string) => ({
  holderIdentity,
  leaseDurationSeconds: 15,
  acquireTime: undefined,
  renewTime: renewed("00.100000"),
  leaseTransitions: 3,
});
const seen = (holder: string): LeaseObservation => ({ record: record(holder), at: 0 });
test.each<[string, LeaseObservation, V1Lease | undefined, boolean]>([
  ["the first read proves nothing", "unseen", lease("old"), false],
  ["nothing there", "absent", undefined, false],
  ["deleted", seen("old"), undefined, false],
  ["a dead holder's record stays", seen("old"), lease("old"), false],
  ["we released it", seen("old"), lease(""), false],
  ["a holder renews", seen("old"), lease("old", { renewTime: renewed("55.000000") }), true],
  ["a holder took what was released", seen(""), lease("old"), true],
  ["a holder created it", "absent", lease("old"), true],
])("held again: %s", (_, before, found, is) => {
  expect(isHeldAgain(before, found)).toBe(is);
});

test.each<[string, LeaseObservation, number, boolean]>([
  ["a holder whose time is not over", seen("old"), 14_999, true],
  ["a holder whose time is over", seen("old"), 15_000, false],
  ["released", seen(""), 0, false],
  ["absent", "absent", 0, false],
])("read again soon: %s", (_, observation, now, is) => {
  expect(isSuspect(observation, now)).toBe(is);
});
