import { untilAvailable } from "@csi-sidecars/csi";
import { claimOf } from "../claim-of.ts";
import type { Volume } from "../fields.ts";
import type { HealthMonitorComponentContext } from "../flags.ts";
import { slotCount, slotMsOf, slotOf } from "./check-slots.ts";
import { ConcurrentCalls } from "./concurrent-calls.ts";
import { Rounds } from "./rounds.ts";
import { reportCondition, type VolumeChecks } from "./volume-checks.ts";

type Flags = Pick<HealthMonitorComponentContext["flags"], "monitorInterval" | "workerThreads">;

const bySlot = "slot";

/**
 * Asks the driver about each volume once per `--monitor-interval`, at most `--worker-threads` at the same time, until the signal aborts.
 * A volume has its place in the interval by its uid: there is nothing to remember about it, and those that are bound later or deleted
 * need no care. A driver that is too slow for that is asked less often.
 */
export async function runGetVolumeMode(c: VolumeChecks, flags: Flags, signal: AbortSignal): Promise<void> {
  c.volumes.addIndex(bySlot, (volume) => (isChecked(volume, c.driver.name) ? [slotOf(volume.metadata.uid)] : []));
  forgetUnchecked(c);
  const calls = new ConcurrentCalls(flags.workerThreads);
  const slotMs = slotMsOf(flags.monitorInterval);
  const rounds = new Rounds(c, flags.monitorInterval);
  while (!signal.aborted) {
    for (let slot = 0; slot < slotCount && !signal.aborted; slot++) {
      await rounds.pausedUntil(untilAvailable(c.availability, signal));
      await checkSlot(c, { volumes: c.volumes.byIndex(bySlot, String(slot)), slotMs, calls, rounds, signal });
    }
    if (!signal.aborted) rounds.next();
  }
  await calls.ended();
}

/** What was found of a volume is not counted when it is not checked any more. */
function forgetUnchecked({ volumes, claims, driver, conditions }: VolumeChecks): void {
  const forget = (volume: Volume) => {
    const claim = isChecked(volume, driver.name) ? undefined : claimOf(volume, driver.name, claims);
    if (claim) conditions.volumeGone(claim);
  };
  volumes.addHandler({ onAdd: forget, onUpdate: (_, volume) => forget(volume) });
}

/** As upstream, a volume that is being deleted is not. */
function isChecked({ metadata, spec, status }: Volume, driver: string): boolean {
  return spec?.csi?.driver === driver && spec.csi.volumeHandle !== "" && status?.phase === "Bound" && !metadata.deletionTimestamp;
}

interface Slot {
  readonly volumes: readonly Volume[];
  readonly slotMs: number;
  readonly calls: ConcurrentCalls;
  readonly rounds: Rounds;
  readonly signal: AbortSignal;
}

/** Checks the volumes of a slot, evenly spread over its time. */
async function checkSlot(c: VolumeChecks, { volumes, slotMs, calls, rounds, signal }: Slot): Promise<void> {
  const began = c.clock.monotonic();
  const sleepUntil = async (afterMs: number) => {
    const restMs = began + afterMs - c.clock.monotonic();
    if (restMs > 0) await c.clock.sleep(restMs, signal).catch(() => undefined);
  };
  for (const [at, volume] of volumes.entries()) {
    await sleepUntil((at * slotMs) / volumes.length);
    if (signal.aborted) return;
    await calls.begin(volume.metadata.uid, () => checkVolume(c, volume, rounds, signal));
  }
  await sleepUntil(slotMs);
}

/** An error, NotFound too, says nothing about the condition. */
async function checkVolume(c: VolumeChecks, { metadata: { name, uid }, spec }: Volume, rounds: Rounds, signal: AbortSignal): Promise<void> {
  const { csiController, timeoutMs, volumes, driver, claims } = c;
  const current = () => {
    const volume = volumes.get(name);
    const isSame = volume?.metadata.uid === uid && isChecked(volume, driver.name);
    return isSame && claimOf(volume, driver.name, claims) ? volume : undefined;
  };
  if (!current()) return;
  rounds.asked();
  try {
    const { status } = await csiController.controllerGetVolume({ volumeId: spec?.csi?.volumeHandle ?? "" }, { timeoutMs, signal });
    rounds.answered();
    const volume = current();
    if (volume) reportCondition(c, volume, status?.volumeCondition);
  } catch (error) {
    if (!signal.aborted) rounds.failed(name, error);
  }
}
