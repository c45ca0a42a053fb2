import { ownValue } from "@csi-sidecars/base";
import type { Snapshot } from "./flags-snapshot.ts";

/** Differences between the snapshots of two releases, in lines. */
export interface SnapshotChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export function snapshotChanges(before: Snapshot, after: Snapshot): SnapshotChanges {
  const [old, now] = [flat(before), flat(after)];
  return {
    added: [...now].filter(([key]) => !old.has(key)).map(([key, value]) => `${key} (${value})`),
    removed: [...old].filter(([key]) => !now.has(key)).map(([key]) => key),
    changed: [...now]
      .filter(([key, value]) => old.has(key) && old.get(key) !== value)
      .map(([key, value]) => `${key} (${old.get(key)} → ${value})`),
  };
}

const flat = (snapshot: Snapshot) =>
  new Map(
    Object.entries(snapshot).flatMap(([owner, lines]) =>
      Object.entries(lines).map(([name, value]) => [`${owner}: ${name}`, value] as const),
    ),
  );

/** What somebody has looked at and found right, by version: change → why. A change is named without what stands in parentheses. */
export type Reviewed = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The changes that nobody has reviewed for this version. */
export function notReviewed(changes: readonly string[], reviewed: Reviewed, version: string): readonly string[] {
  const known = ownValue(reviewed, version);
  return changes.filter((change) => !ownValue(known, change.replace(/ \(.*$/, ""))?.trim());
}
