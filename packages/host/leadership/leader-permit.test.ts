import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { isAbort } from "@csi-sidecars/kube";
import { isNotLeading, LeaderPermit, neverPermitted } from "./leader-permit.ts";

function world() {
  const clock = new FakeClock();
  const term = new AbortController();
  const state = { certain: true };
  return { clock, term, state, permit: new LeaderPermit(() => state.certain, term.signal, clock) };
}

test("it is given while leadership is certain", async () => {
  const { clock, permit } = world();
  await clock.advance(60_000);
  expect([permit.refusal(), permit.withdrawn.aborted]).toEqual([undefined, false]);
});

test("it is withdrawn when the term is over, and leaves no timer", async () => {
  const { clock, permit, term } = world();
  const { withdrawn } = permit;
  term.abort(new Error("lost"));
  expect(withdrawn.aborted).toBe(true);
  expect([isNotLeading(withdrawn.reason), isAbort(withdrawn.reason), isNotLeading(permit.refusal())]).toEqual([true, true, true]);
  expect(clock.waiting).toBe(0);
});

test("it is withdrawn within a second when time alone makes leadership uncertain", async () => {
  const { clock, permit, state } = world();
  const { withdrawn } = permit;
  state.certain = false;
  await clock.advance(1_000);
  expect(withdrawn.aborted).toBe(true);
});

test("who asks finds out at once, for all others too", () => {
  const { permit, state } = world();
  const { withdrawn } = permit;
  state.certain = false;
  expect(String(permit.refusal())).toBe("NotLeading: leadership is no longer certain");
  expect(withdrawn.aborted).toBe(true);
});

test("it is given again when a renewal came through late: what was canceled stays so", () => {
  const { permit, state } = world();
  const { withdrawn } = permit;
  state.certain = false;
  permit.refusal();
  state.certain = true;
  expect([permit.refusal(), permit.withdrawn.aborted, withdrawn.aborted]).toEqual([undefined, false, true]);
});

test("without a term there is none", () => {
  expect([isNotLeading(neverPermitted.refusal()), neverPermitted.withdrawn.aborted]).toEqual([true, true]);
});

test("causes are looked at", () => {
  const wrapped = new Error("DeleteVolume", { cause: new Error("call", { cause: neverPermitted.refusal() }) });
  expect([isNotLeading(wrapped), isNotLeading(new Error("else"))]).toEqual([true, false]);
});
