import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { LeaseWriter } from "./lease-writer.ts";
import { outage, setUp, storeWith } from "./testing/elector-world.ts";
import { FakeLeaseStore } from "./testing/fake-lease-store.ts";

test("a Lease that did not exist is created and renewed at once, and acted upon after its duration", async () => {
  const { clock, store, elector, said } = setUp({ store: new FakeLeaseStore() });
  await clock.advance(14_999);
  expect(store.calls).toEqual(["GET 404", "POST 201", "PUT 200", "PUT 200"]);
  expect([elector.isLeader(), elector.mayAct(), said]).toEqual([false, false, ["leader me"]]);
  await clock.advance(1);
  expect(elector.mayAct()).toBe(true);
});

test("a Lease that is deleted under a leader which cannot renew it: who never saw it does not act while the old leader does", async () => {
  const [store, clock] = [storeWith({}), new FakeClock()];
  const { state, before } = outage();
  const leader = setUp({ store, clock, identity: "leader", disturbance: { before } });
  await clock.advance(1_000);
  state.on = true;
  store.delete();
  const newcomer = setUp({ store, clock, identity: "newcomer" });
  for (let ms = 0; ms < 20_000; ms += 100) {
    await clock.advance(100);
    expect([leader, newcomer].filter(({ elector }) => elector.mayAct()).length).toBeLessThanOrEqual(1);
  }
  expect(newcomer.elector.mayAct()).toBe(true);
});

test("a leader that finds another's Lease in place of its deleted one stops at its next renewal", async () => {
  const [store, clock] = [storeWith({}), new FakeClock()];
  const leader = setUp({ store, clock, identity: "leader" });
  await clock.advance(1_000);
  store.delete();
  setUp({ store, clock, identity: "newcomer" });
  await clock.advance(4_000);
  expect(await leader.end).toEqual({ reason: "lost", because: 'the lease is held by "newcomer"' });
});

test("a Lease that is deleted again while its creator waits: the wait begins anew", async () => {
  const { clock, store, elector } = setUp({ store: new FakeLeaseStore() });
  await clock.advance(12_000);
  store.delete();
  await clock.advance(15_000 + 14_999 - 12_000);
  expect(elector.isLeader()).toBe(false);
  await clock.advance(1);
  expect(elector.mayAct()).toBe(true);
});

test("who ends while it waits does not release the Lease, and its successor waits as well", async () => {
  const [store, clock] = [new FakeLeaseStore(), new FakeClock()];
  const ended = { description: "first", hasEnded: () => true };
  const first = setUp({ store, clock, mayRelease: () => true, writer: new LeaseWriter(ended) });
  await clock.advance(9_000);
  first.stop.abort();
  expect(await first.end).toEqual({ reason: "cancelled" });
  expect(store.lease?.spec?.holderIdentity).toBe("me");
  const next = setUp({ store, clock, writer: new LeaseWriter({ description: "next", hasEnded: () => true }) });
  await clock.advance(14_999);
  expect(next.elector.isLeader()).toBe(false);
  await clock.advance(1);
  expect(next.elector.mayAct()).toBe(true);
});
