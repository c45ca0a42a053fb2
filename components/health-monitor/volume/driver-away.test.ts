import { expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { ChangingAvailability } from "@csi-sidecars/csi";
import { projectorFor } from "@csi-sidecars/kube";
import { type Claim, claimFields, type Volume, volumeFields } from "../fields.ts";
import { claimOf, driverName, volumeOf } from "../testing/objects.ts";
import { checkMetrics } from "./check-metrics.ts";
import { ClaimConditions } from "./claim-conditions.ts";
import { runGetVolumeMode } from "./get-volume-mode.ts";
import type { VolumeChecks } from "./volume-checks.ts";

const uid = "uid";

/** One bound volume, and a driver that may be away; `asked` is how often it was asked about the volume. */
function world() {
  const clock = new FakeClock();
  const log = recordingLogger();
  const availability = new ChangingAvailability();
  const bound = { ...volumeOf({ metadata: { name: "pv", uid: "volume" } }, uid), status: { phase: "Bound" } };
  const volume: Volume = projectorFor(volumeFields)(bound);
  const claim: Claim = projectorFor(claimFields)({ ...claimOf(), metadata: { ...claimOf().metadata, uid } });
  const state = { asked: 0 };
  let slotOfVolume = "";
  const volumes = {
    addIndex: (_name: string, slots: (volume: Volume) => readonly string[]) => {
      slotOfVolume = slots(volume)[0] ?? "";
    },
    byIndex: (_name: string, slot: string) => (slot === slotOfVolume ? [volume] : []),
    get: () => volume,
    addHandler: () => {},
  };
  const csiController = {
    async controllerGetVolume() {
      state.asked++;
      return { status: undefined };
    },
  };
  const registry = new Registry();
  const conditions = new ClaimConditions();
  const metrics = checkMetrics({ registry, driver: driverName, conditions, clock });
  const checks = {
    ...{ clock, log, availability, volumes, csiController, metrics, conditions, timeoutMs: 1_000 },
    driver: { name: driverName },
    claims: { get: () => claim },
  } as unknown as VolumeChecks;
  /** In seconds; none yet before the end of the first one. */
  const lastPass = async () => /last_pass_duration_seconds\{.*\} (\S+)/.exec(await registry.metrics())?.[1];
  return { clock, log, availability, state, checks, lastPass };
}

test("a driver that is away is asked about no volume, and about each within an interval when it is back", async () => {
  const { clock, availability, state, checks } = world();
  const stop = new AbortController();
  const running = runGetVolumeMode(checks, { monitorInterval: 60_000, workerThreads: 1 }, stop.signal);
  await clock.advance(600_000);
  expect(state.asked).toBe(0);
  availability.change(true);
  await clock.advance(59_000);
  expect(state.asked).toBe(1);
  availability.change(false);
  await clock.advance(600_000);
  expect(state.asked).toBe(1);
  stop.abort();
  await running;
});

test("the time in which it is away is none of the pass, and the log does not call the checks late", async () => {
  const { clock, log, availability, state, checks, lastPass } = world();
  const stop = new AbortController();
  const running = runGetVolumeMode(checks, { monitorInterval: 60_000, workerThreads: 1 }, stop.signal);
  await clock.advance(600_000);
  availability.change(true);
  await clock.advance(30_000);
  availability.change(false);
  await clock.advance(600_000);
  availability.change(true);
  expect(await lastPass()).toBeUndefined();
  await clock.advance(32_000);
  expect(Number(await lastPass())).toBeWithin(58, 62);
  await clock.advance(60_000);
  expect(state.asked).toBeGreaterThanOrEqual(2);
  expect(log.lines.map(({ message }) => message)).toEqual([]);
  stop.abort();
  await running;
});
