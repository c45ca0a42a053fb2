import type { CallCounter, CallStatistics } from "./calls/statistics.ts";
import type { State } from "./state/state.ts";

/** What the calls of a driver amount to. */
export interface DriverReport extends CallStatistics {
  /** Volumes and snapshots of which no caller was ever told: what it forgets about now, nobody will delete. */
  readonly neverAnswered: readonly string[];
  /** Publications that were not taken back. */
  readonly open: {
    readonly attached: readonly { readonly volumeId: string; readonly nodeId: string }[];
    readonly staged: readonly { readonly volumeId: string; readonly path: string }[];
    readonly published: readonly { readonly volumeId: string; readonly path: string }[];
  };
}

/** Puts the report together. */
export function reportOf(state: State, counter: CallCounter): DriverReport {
  const volumes = [...state.volumes.values()];
  const existing = [...volumes, ...state.snapshots.values(), ...state.groups.values()].map(({ id }) => id);
  return {
    ...counter.statistics(),
    neverAnswered: existing.filter((id) => !counter.wasAnswered(id)),
    open: {
      attached: volumes.flatMap(({ id, attachments }) => attachments.map(({ nodeId }) => ({ volumeId: id, nodeId }))),
      staged: volumes.flatMap(({ id, staged }) => staged.map((path) => ({ volumeId: id, path }))),
      published: volumes.flatMap(({ id, published }) => published.map(({ target }) => ({ volumeId: id, path: target }))),
    },
  };
}
