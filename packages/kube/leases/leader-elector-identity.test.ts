import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { TransportError } from "../transport/transport.ts";
import { type HolderProcess, holderProcessAnnotation, LeaseWriter } from "./lease-writer.ts";
import { setUp, storeWith, theirs } from "./testing/elector-world.ts";
import { FakeLeaseStore, type LeaseVerb } from "./testing/fake-lease-store.ts";

const remedy = 'two processes run for the lease as "me": give each pod the environment variable POD_NAME (metadata.name)';
const remedies = ({ log }: ReturnType<typeof setUp>) => log.lines.filter(({ message }) => message === remedy).length;

/** A process in a world where all but those in `living` have ended. */
const processNamed = (description: string, living: readonly string[]): HolderProcess => ({
  description,
  hasEnded: (other) => !living.includes(other),
});

describe("two processes with one identity", () => {
  test("one leads, the other waits and says how to tell them apart", async () => {
    const [store, clock] = [storeWith({}), new FakeClock()];
    const first = setUp({ store, clock });
    await clock.advance(1_000);
    const second = setUp({ store, clock });
    for (let i = 0; i < 100; i++) {
      await clock.advance(1_000);
      expect([first.elector.mayAct(), second.elector.isLeader()]).toEqual([true, false]);
    }
    expect([remedies(first), remedies(second)]).toEqual([0, 1]);
    expect(second.events).toEqual([`coordination.k8s.io/v1 Lease lease Warning LeaderElection ${remedy}`]);
  });

  test("a renewal that the leader did not write: lost at once, loudly, and left to the other for as long as that one lives", async () => {
    const us = setUp();
    const { clock, store, elector, end } = us;
    await clock.advance(1_000);
    const renew = () =>
      store.edit((lease) => {
        lease.spec = { ...lease.spec, renewTime: new Date(clock.now()).toISOString().replace("Z", "123Z") };
      });
    renew();
    await clock.advance(4_000);
    expect(await end).toEqual({ reason: "lost", because: 'another process renews the lease as "me", the identity of this one' });
    expect(remedies(us)).toBe(1);
    void elector.run(new AbortController().signal);
    for (let i = 0; i < 20; i++) {
      renew();
      await clock.advance(5_000);
      expect(elector.isLeader()).toBe(false);
    }
    await clock.advance(15_000);
    expect(elector.mayAct()).toBe(true);
  });

  test("the lease of the other is not released", async () => {
    const { clock, store, stop, end } = setUp({ mayRelease: () => true });
    await clock.advance(1_000);
    store.edit((lease) => {
      lease.spec = theirs("me");
    });
    stop.abort();
    expect(await end).toEqual({ reason: "cancelled" });
    expect(store.lease?.spec).toEqual(theirs("me"));
  });
});

describe("our own lease", () => {
  test.each(["PUT", "POST"] as const)("a %s whose answer was lost is ours", async (lost) => {
    let left = 1;
    const after = (verb: LeaseVerb) =>
      verb === lost && left-- > 0 ? Promise.reject(new TransportError("timeout", "no answer in time")) : undefined;
    const us = setUp({ disturbance: { after }, store: lost === "POST" ? new FakeLeaseStore() : storeWith({}) });
    await us.clock.advance(lost === "POST" ? 20_000 : 5_000);
    expect([us.elector.mayAct(), remedies(us)]).toEqual([true, 0]);
    await us.clock.advance(60_000);
    expect(us.said).not.toContain("stopped");
  });

  test("is taken at once by the next elector of the same process", async () => {
    const [store, clock, writer] = [storeWith({}), new FakeClock(), new LeaseWriter()];
    const first = setUp({ store, clock, writer });
    await clock.advance(1_000);
    first.stop.abort();
    await first.end;
    const next = setUp({ store, clock, writer });
    await clock.advance(0);
    expect(next.elector.mayAct()).toBe(true);
    expect(store.lease?.spec?.leaseTransitions).toBe(1);
  });

  const restarts: [name: string, living: readonly string[], takesMs: number][] = [
    ["at once by its successor, when the process that wrote it is known to have ended", [], 0],
    ["after its duration otherwise", ["first"], 15_000],
  ];
  test.each(restarts)("is taken %s", async (_, living, takesMs) => {
    const [store, clock] = [storeWith({}), new FakeClock()];
    const first = setUp({ store, clock, writer: new LeaseWriter(processNamed("first", living)) });
    await clock.advance(6_000);
    first.stop.abort();
    const next = setUp({ store, clock, writer: new LeaseWriter(processNamed("next", living)) });
    await clock.advance(Math.max(0, takesMs - 1));
    expect(next.elector.mayAct()).toBe(takesMs === 0);
    await clock.advance(1);
    expect(next.elector.mayAct()).toBe(true);
    expect(store.lease?.metadata?.annotations).toEqual({ [holderProcessAnnotation]: `${store.lease?.spec?.renewTime} next` });
    expect(store.lease?.spec?.leaseTransitions).toBe(2);
  });

  test("a program that leaves the description as it was is not taken for the process described there", async () => {
    const [store, clock] = [storeWith({}), new FakeClock()];
    const first = setUp({ store, clock, writer: new LeaseWriter(processNamed("first", [])) });
    await clock.advance(1_000);
    first.stop.abort();
    store.edit((lease) => {
      lease.spec = { ...lease.spec, renewTime: "2026-01-01T00:00:01.000123Z" };
    });
    const next = setUp({ store, clock, writer: new LeaseWriter(processNamed("next", [])) });
    await clock.advance(10_000);
    expect(next.elector.isLeader()).toBe(false);
  });
});
