import type { Key, View } from "@csi-sidecars/kube";
import type { Snapshot } from "../fields.ts";
import { claimKeyOf, isPreProvisioned } from "./binding.ts";

// Snapshots that are not ready, by what they may be waiting for: those that are ready are many, and wait for nothing.
const byClaim = "claim";
const byClass = "class";
const byContent = "content";

/** To be called once, before the lookups below. */
export function indexSnapshots(snapshots: Pick<View<Snapshot>, "addIndex">): void {
  const indexUnready = (name: string, value: (snapshot: Snapshot) => string | undefined) =>
    snapshots.addIndex(name, (snapshot) => {
      const found = snapshot.status?.readyToUse === true ? undefined : value(snapshot);
      return found === undefined ? [] : [found];
    });
  indexUnready(byClaim, claimKeyOf);
  indexUnready(byClass, ({ spec }) => spec?.volumeSnapshotClassName ?? "");
  indexUnready(byContent, (snapshot) => (isPreProvisioned(snapshot) ? snapshot.spec?.source?.volumeSnapshotContentName : undefined));
}

type Indexed = Pick<View<Snapshot>, "byIndex">;

export function unreadyOfClaim(snapshots: Indexed, claim: Key): readonly Snapshot[] {
  return snapshots.byIndex(byClaim, claim);
}

/** Those that name the class; with an empty name, those that name none. */
export function unreadyOfClass(snapshots: Indexed, className: string): readonly Snapshot[] {
  return snapshots.byIndex(byClass, className);
}

/** Those that name the content. */
export function unreadyOfContent(snapshots: Indexed, content: string): readonly Snapshot[] {
  return snapshots.byIndex(byContent, content);
}
