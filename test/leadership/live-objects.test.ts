import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attacher } from "@csi-sidecars/attacher";
import { advanceUntil, FakeClock, until } from "@csi-sidecars/base/testing";
import type { Component } from "@csi-sidecars/host";
import { Lease } from "@csi-sidecars/kube";
import { livenessprobe } from "@csi-sidecars/livenessprobe";
import { nodeDriverRegistrar } from "@csi-sidecars/node-driver-registrar";
import { provisioner } from "@csi-sidecars/provisioner";
import { resizer } from "@csi-sidecars/resizer";
import { startCluster, startComponent, startScriptedDriver } from "@csi-sidecars/testcluster";
import { consolidatedLease, namespace } from "../e2e/testing/election.ts";
import { idle, testComponent } from "./testing/test-components.ts";
import { type TrackedRuns, trackRuns } from "./testing/tracked-runs.ts";

setDefaultTimeout(60_000);

const runs = 50;

/** The components that are restarted with the driver, and end with their lease. */
const controllers = () => [trackRuns(attacher), trackRuns(provisioner), trackRuns(resizer)] as const;

type Wait = (what: string, check: () => unknown) => Promise<unknown>;

/**
 * The run that works may be there, and the one before it: a promise that has just settled may still refer to that. What else is in use
 * for a while, such as by a request that is about to end, goes; what a run leaks stays.
 */
async function expectNothingLeft(wait: Wait, ...tracked: readonly TrackedRuns[]): Promise<void> {
  const left = () => tracked.flatMap((runs) => Object.entries(runs.live()).filter(([, count]) => count > 2));
  await wait("nothing is left", () => left().length === 0).catch(() => {});
  expect(left()).toEqual([]);
}

test(`nothing is left of ${runs} runs that restarts of the driver have ended`, async () => {
  await using cluster = await startCluster();
  await using driver = await startScriptedDriver({ capabilities: "full" });
  const [first, ...others] = controllers();
  await using run = await startComponent(first.component, { cluster, driver, beside: others.map(({ component }) => component) });
  for (let nth = 1; nth <= runs; nth++) {
    await run.restart();
    await until("all run", () => [first, ...others].every(({ started }) => started > nth));
  }
  await expectNothingLeft(until, first, ...others);
});

test(`nothing is left of ${runs} terms that lost the lease`, async () => {
  await using cluster = await startCluster();
  await using driver = await startScriptedDriver({ capabilities: "full" });
  const clock = new FakeClock();
  const [first, ...others] = controllers();
  const flags = ["--leader-election", "--leader-election-migration=skip"];
  const options = { cluster, driver, clock, beside: others.map(({ component }) => component), flags, hostName: "pod-1" };
  await using _run = await startComponent(first.component, { ...options, waitUntilRunning: false });
  const wait: Wait = (what, check) => advanceUntil(clock, what, check, { stepMs: 100 });
  await wait("all run", () => [first, ...others].every(({ started }) => started > 0));
  for (let nth = 1; nth <= runs; nth++) {
    const lease = await cluster.admin.get(Lease, { namespace, name: consolidatedLease });
    await cluster.admin.update(Lease, { ...lease, spec: { ...lease.spec, holderIdentity: "pod-2" } });
    await wait("all lead again", () => [first, ...others].every(({ started }) => started > nth));
  }
  await expectNothingLeft(wait, first, ...others);
});

test.each<readonly [string, Component, (folder: string) => readonly string[]]>([
  ["attacher", attacher, () => []],
  ["provisioner", provisioner, () => []],
  ["resizer", resizer, () => []],
  ["livenessprobe", livenessprobe, () => []],
  [
    "node-driver-registrar",
    nodeDriverRegistrar,
    (folder) => [
      "--node-driver-registrar-kubelet-registration-path=/csi.sock",
      `--node-driver-registrar-plugin-registration-path=${folder}`,
    ],
  ],
])(`nothing is left of ${runs} runs of the %s that have failed`, async (_, component, flags) => {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(await mkdtemp(join(tmpdir(), "registry-")), (path) => rm(path, { recursive: true, force: true }));
  await using cluster = await startCluster();
  await using driver = await startScriptedDriver({ capabilities: "full" });
  const clock = new FakeClock();
  const tracked = trackRuns(component);
  const options = { cluster, driver, clock, flags: flags(folder), beside: [testComponent("idle", idle)] };
  await using _run = await startComponent(tracked.component, options);
  const wait: Wait = (what, check) => advanceUntil(clock, what, check, { stepMs: 100 });
  for (let nth = 1; nth <= runs; nth++) {
    // Ten minutes without a failure: the restart comes after a second.
    await clock.advance(600_000);
    tracked.fail();
    await wait("it runs again", () => tracked.started > nth);
  }
  await expectNothingLeft(wait, tracked);
});
