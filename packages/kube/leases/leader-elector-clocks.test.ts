import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { outage, setUp, storeWith, theirs } from "./testing/elector-world.ts";

/** Wall time can be set; what passes while the machine is paused passes in wall time only. */
class SettableClock extends FakeClock {
  #offset = 0;

  override now(): number {
    return super.now() + this.#offset;
  }

  setForward(ms: number): void {
    this.#offset += ms;
  }
}

const suspended = "the clock was set, or the machine was suspended";

test("a paused machine whose monotonic clock stood still: nothing acts after it, and the term ends", async () => {
  const clock = new SettableClock();
  const { elector, end, said } = setUp({ clock });
  await clock.advance(6_000);
  expect(elector.mayAct()).toBe(true);
  clock.setForward(60_000);
  expect([elector.isLeader(), elector.mayAct()]).toEqual([true, false]);
  await clock.advance(4_000);
  expect(await end).toEqual({
    reason: "lost",
    because: `65000 ms of wall time have passed since the last renewal: ${suspended}`,
  });
  expect(said.slice(-2)).toEqual(["aborted", "stopped"]);
});

test("a clock that is set forward costs one term: the next one begins at once", async () => {
  const clock = new SettableClock();
  const { elector, end, store } = setUp({ clock });
  await clock.advance(1_000);
  clock.setForward(3_600_000);
  await clock.advance(4_000);
  expect(await end).toMatchObject({ reason: "lost" });
  void elector.run(new AbortController().signal);
  await clock.advance(0);
  expect(elector.mayAct()).toBe(true);
  await clock.advance(60_000);
  expect(elector.mayAct()).toBe(true);
  expect(store.lease?.spec?.leaseTransitions).toBe(1);
});

test("a clock that is set back harms nothing, and cannot prolong a term", async () => {
  const clock = new SettableClock();
  const { state, before } = outage();
  const { elector, end } = setUp({ clock, disturbance: { before } });
  await clock.advance(1_000);
  clock.setForward(-3_600_000);
  await clock.advance(30_000);
  expect(elector.mayAct()).toBe(true);
  state.on = true;
  await clock.advance(15_000);
  expect(elector.mayAct()).toBe(false);
  expect(await end).toMatchObject({ reason: "lost" });
});

test("a small correction forward is no reason to end a term", async () => {
  const clock = new SettableClock();
  const { elector, said } = setUp({ clock });
  for (let i = 0; i < 20; i++) {
    await clock.advance(7_000);
    clock.setForward(2_000);
  }
  expect(elector.mayAct()).toBe(true);
  expect(said).toEqual(["leader me", "started"]);
});

test("a candidate whose clock is set forward does not take over earlier", async () => {
  const clock = new SettableClock();
  const { elector } = setUp({ clock, store: storeWith(theirs("other")) });
  await clock.advance(5_000);
  clock.setForward(3_600_000);
  await clock.advance(9_999);
  expect(elector.isLeader()).toBe(false);
});
