import { expect, setDefaultTimeout, test } from "bun:test";
import { advanceUntil, FakeClock } from "@csi-sidecars/base/testing";
import { Event } from "@csi-sidecars/kube";
import { startCluster, startComponent, startScriptedDriver } from "@csi-sidecars/testcluster";
import { consolidatedLease, createFreeLease, holderOf, namespace } from "../e2e/testing/election.ts";
import { idle, testComponent } from "./testing/test-components.ts";

setDefaultTimeout(30_000);

/** A leader with two components, of which one fails in every start. */
async function leaderWithFailing(flags: readonly string[] = [], { start = idle, problem = "no such setting" } = {}) {
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await startCluster());
  await createFreeLease(cluster, consolidatedLease);
  const driver = opened.use(await startScriptedDriver({ capabilities: "minimal" }));
  const clock = new FakeClock();
  let failures = 0;
  const failing = testComponent("failing", async () => {
    throw new Error(`${problem}, attempt ${++failures}`);
  });
  const good = testComponent("good", start);
  const all = ["--leader-election", "--leader-election-migration=skip", ...flags];
  const leader = opened.use(await startComponent(good, { cluster, driver, clock, beside: [failing], flags: all, hostName: "pod-1" }));
  const parts = opened.move();
  return {
    ...{ cluster, leader, failures: () => failures },
    reports: async () => (await cluster.admin.list(Event, { namespace })).items.filter(({ reason }) => reason === "ControllerFailed"),
    until: (what: string, happened: () => boolean | Promise<boolean>) => advanceUntil(clock, () => what, happened, { stepMs: 50 }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

test("a component that fails for ever is reported in an event, and the others lead on", async () => {
  await using world = await leaderWithFailing();
  const { cluster, leader, reports } = world;
  await world.until("the event", async () => (await reports()).length > 0);
  expect((await reports()).map(({ type, message, involvedObject }) => [type, message, involvedObject?.kind, involvedObject?.name])).toEqual(
    [["Warning", "controller failing failed 5 times in a row: no such setting, attempt 5", "Lease", consolidatedLease]],
  );
  await world.until("more failures", () => world.failures() > 7);
  expect(await reports()).toHaveLength(1);
  expect([leader.starts, await holderOf(cluster, consolidatedLease)]).toEqual([1, "pod-1"]);
  const ready = await fetch(`${await leader.url()}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([500, expect.stringContaining("[-]failing failed: no such setting")]);
  expect((await fetch(`${await leader.url()}/livez`)).status).toBe(200);
});

test("an event and /readyz have the beginning of a reason as long as a driver's error", async () => {
  await using world = await leaderWithFailing([], { problem: "x".repeat(60_000) });
  await world.until("the event", async () => (await world.reports()).length > 0);
  const [report] = await world.reports();
  expect(report?.message).toStartWith("controller failing failed 5 times in a row: xxx");
  expect(report?.message).toHaveLength(16 * 1024);
  const page = await (await fetch(`${await world.leader.url()}/readyz`)).text();
  expect(page.match(/x{1000,}/g)?.map(({ length }) => length)).toEqual([16 * 1024, 16 * 1024]);
});

test("a restart limit ends the process when the work of the others has ended, and with it the lease", async () => {
  const work = Promise.withResolvers<void>();
  const stopping = Promise.withResolvers<void>();
  await using world = await leaderWithFailing(["--controller-restart-limit=2"], {
    async start({ signal }) {
      signal.addEventListener("abort", () => stopping.resolve(), { once: true });
      return { done: work.promise };
    },
  });
  const { cluster, leader } = world;
  let isStopping = false;
  void stopping.promise.then(() => {
    isStopping = true;
  });
  await world.until("it drains", () => isStopping);
  expect([world.failures(), await holderOf(cluster, consolidatedLease)]).toEqual([3, "pod-1"]);
  work.resolve();
  expect(await leader.exit).toBe(1);
  expect(await holderOf(cluster, consolidatedLease)).toBe("");
});
