import type { DriverCall, ScriptedDriver } from "@csi-sidecars/testcluster";

/** How late a driver on a busy machine may notice that a client gave up: the next call can be there before. */
const noticedLateMs = 100;

/** Calls that changed one volume at the same time, while somebody waited for both. */
export function lastingOverlaps(driver: ScriptedDriver): readonly [DriverCall, DriverCall][] {
  return driver.overlaps().filter(([{ clientGoneAt = Number.POSITIVE_INFINITY }, later]) => clientGoneAt - later.startedAt > noticedLateMs);
}
