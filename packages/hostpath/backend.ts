import { type Clock, type Logger, ownValue } from "@csi-sidecars/base";
import type { Data, PendingMove } from "./data/data.ts";
import type { ConditionRules } from "./faults/condition-rules.ts";
import type { Locks } from "./locks.ts";
import type { Mounter } from "./mount/mounter.ts";
import { refuse } from "./refuse.ts";
import type { Scripted } from "./script/scripted.ts";
import type { Settings } from "./settings.ts";
import type { Totals } from "./state/record-index.ts";
import type { Change, GroupRecord, SnapshotRecord, VolumeRecord } from "./state/records.ts";
import type { State } from "./state/state.ts";

/** What all services work with. */
export interface Backend {
  /** As configured, with what a script changed since. */
  readonly settings: Settings;
  readonly state: State;
  readonly data: Data;
  readonly mounter: Mounter;
  readonly locks: Locks;
  readonly scripted: Scripted;
  /** The conditions of volumes that fault rules and scripts set. */
  readonly conditions: ConditionRules;
  /** Space promised to volumes whose creation is under way, by kind. */
  readonly reserved: Totals;
  /** Attachments under way, by node. */
  readonly attaching: Totals;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  newId(): string;
}

/** The volume of an id, or NOT_FOUND in the words of the Go driver; likewise the next two. */
export function volumeById({ state }: Backend, id: string): VolumeRecord {
  return state.volumes.get(id) ?? refuse("NotFound", `volume id ${id} does not exist in the volumes list`);
}

export function snapshotById({ state }: Backend, id: string): SnapshotRecord {
  return state.snapshots.get(id) ?? refuse("NotFound", `snapshot id ${id} does not exist in the snapshots list`);
}

export function groupById({ state }: Backend, id: string): GroupRecord {
  return state.groups.get(id) ?? refuse("NotFound", `groupsnapshot id ${id} does not exist in the groupsnapshots list`);
}

/** Commits changes together with their data: after a failure neither is there. */
export async function commitWith({ state }: Backend, moves: readonly PendingMove[], changes: readonly Change[]): Promise<void> {
  let durable = false;
  try {
    await state.commit(changes, () => {
      durable = true;
      for (const move of moves) move.commit();
    });
  } catch (error) {
    // Data that has a record but could not be moved to its path is moved there by the next start.
    if (!durable) for (const move of moves) await move.rollback();
    throw error;
  }
  for (const move of moves) await move.cleanUp();
}

/** Commits a changed record of a volume. */
export const saveVolume = ({ state }: Backend, record: VolumeRecord): Promise<void> => state.commit([{ put: "volume", record }]);

/** A call out of order: refused where that is checked, else only noted. */
export function lifecycleViolation({ settings, log }: Backend, message: string): void {
  if (settings.checkVolumeLifecycle) refuse("Internal", message);
  log.info("Volume lifecycle violation ignored", { violation: message });
}

/** Whether two string maps have the same entries. */
export const sameMap = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean => {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => ownValue(a, key) === ownValue(b, key));
};
