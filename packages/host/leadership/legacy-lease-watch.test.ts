import { expect, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { type LeaseClient, StatusError, type V1Lease } from "@csi-sidecars/kube";
import { LegacyLeaseWatch } from "./legacy-lease-watch.ts";
import { attacherLease, legacyLeases, resizerLease } from "./testing/leadership-world.ts";
import { released, stale } from "./testing/lease-cases.ts";

const failure = (code: number, reason: string) => new StatusError({ status: "Failure", message: reason, reason, code });

/** A watch of two leases; a read of the attacher's shows what is set. */
function startWatch() {
  const world = { shows: undefined as V1Lease["spec"] | Error, reads: 0, clock: new FakeClock(), log: recordingLogger() };
  const get = async (_: unknown, { name }: { readonly name: string }) => {
    if (name !== attacherLease.name) throw failure(404, "NotFound");
    world.reads++;
    if (world.shows === undefined) throw failure(404, "NotFound");
    if (world.shows instanceof Error) throw world.shows;
    return { metadata: { name }, spec: world.shows };
  };
  const client = { get } as unknown as LeaseClient;
  const watch = new LegacyLeaseWatch({
    ...{ client, clock: world.clock, log: world.log, namespace: "default", leases: legacyLeases, retryPeriodMs: 5_000, timeoutMs: 1_000 },
    isOurs: (holder) => holder === "ours",
  });
  return Object.assign(world, { watch, stop: new AbortController() });
}

test.each<[string, V1Lease["spec"] | Error, boolean]>([
  ["it does not exist", undefined, false],
  ["it was released", released, false],
  ["it has a holder, dead or alive", stale("old-pod"), true],
  ["it has a holder that is one of us, which did not release it", stale("ours"), true],
  ["it could not be read", failure(500, "InternalError"), true],
  ["it may not be read", failure(403, "Forbidden"), false],
])("before work begins, a migrated lease is to be migrated again: %s", async (_, shows, is) => {
  const world = startWatch();
  world.shows = shows;
  expect(await world.watch.mayBeHeld(legacyLeases, world.stop.signal)).toEqual(is ? [attacherLease] : []);
  expect(world.reads).toBe(1);
});

test("while leading: read every retry period for a quarter of a minute, then once a minute, until a legacy sidecar holds one", async () => {
  const world = startWatch();
  const held = world.watch.heldAgain(world.stop.signal);
  await world.clock.advance(15_000);
  expect(world.reads).toBe(3);
  world.shows = stale("ours");
  await world.clock.advance(120_000);
  expect(world.reads).toBe(5);
  world.shows = stale("old-pod");
  await world.clock.advance(60_000);
  expect(await held).toEqual([{ lease: attacherLease, obstacle: { state: "held", holder: "old-pod" } }]);
});

test("the end of leadership ends it", async () => {
  const world = startWatch();
  const held = world.watch.heldAgain(world.stop.signal);
  world.stop.abort();
  expect(await held).toEqual([]);
});

test("a lease that may not be read: said once at the default verbosity, with what to allow", async () => {
  const world = startWatch();
  world.shows = failure(403, "Forbidden");
  await world.watch.mayBeHeld([attacherLease, resizerLease], world.stop.signal);
  const held = world.watch.heldAgain(world.stop.signal);
  await world.clock.advance(60_000);
  world.stop.abort();
  await held;
  expect(world.reads).toBeGreaterThan(2);
  const errors = world.log.lines.filter(({ severity }) => severity === "error");
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("cannot be read, so a legacy sidecar that runs beside this process goes unnoticed: allow get of leases"),
  ]);
});
