import { expect, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { ChangingAvailability } from "@csi-sidecars/csi";
import { projectorFor } from "@csi-sidecars/kube";
import { type Claim, claimFields, type Volume, volumeFields } from "../fields.ts";
import { claimOf, driverName, volumeOf } from "../testing/objects.ts";
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
  };
  const csiController = {
    async controllerGetVolume() {
      state.asked++;
      return { status: undefined };
    },
  };
  const metrics = { beginPass: () => ({ succeeded: () => {}, failed: () => {} }), checkFailed: () => {} };
  const checks = {
    ...{ clock, log, availability, volumes, csiController, metrics, timeoutMs: 1_000 },
    driver: { name: driverName },
    claims: { get: () => claim },
    conditions: { markNormal: () => false },
  } as unknown as VolumeChecks;
  return { clock, availability, state, checks };
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
