import { visible } from "@csi-sidecars/base";
import { age, alignColumns } from "../text.ts";
import type { Comparison } from "./compare.ts";
import type { Difference } from "./difference.ts";
import type { Inventory } from "./inventory.ts";

/** For people. */
export function renderTable(comparison: Comparison, inventory: Inventory, notes: readonly string[]): string {
  const rows = [...comparison.differences, ...comparison.inProgress.map((each) => ({ ...each, kind: "in progress" }))];
  const hasSnapshots = rows.some(({ snapshot }) => snapshot !== undefined);
  const cells = rows.map(({ kind, volume, snapshot, object, node, size, since, note }) => [
    ...[kind, volume || "-", ...(hasSnapshots ? [snapshot ?? "-"] : []), object ?? "-", node ?? "-", size ?? "-"],
    ...[ageOf(kind, inventory.now, since), note ?? ""],
  ]);
  const head = ["DIFFERENCE", "VOLUME", ...(hasSnapshots ? ["SNAPSHOT"] : []), "OBJECT", "NODE", "SIZE", "AGE", "NOTE"];
  const table = cells.length > 0 ? alignColumns([head, ...cells]) : [];
  return `${[...table, ...[...results(comparison, inventory.driver), ...notes].map(visible)].join("\n")}\n`;
}

/** What was compared with what, and how many differences there are. */
function results(comparison: Comparison, driver: string): readonly string[] {
  const { differences, incomplete, storageVolumes, persistentVolumes, storageSnapshots, snapshotContents } = comparison;
  const asFar = incomplete ? ", as far as could be read" : "";
  const result = (found: readonly Difference[]) => `${found.length === 0 ? "no differences" : plural(found.length, "difference")}${asFar}`;
  const ofVolumes = differences.filter(({ snapshot }) => snapshot === undefined);
  const ofSnapshots = differences.filter(({ snapshot }) => snapshot !== undefined);
  const volumes = `${plural(storageVolumes, "volume")} of driver ${driver} compared with ${plural(persistentVolumes, "PersistentVolume")}`;
  if (storageSnapshots === undefined || snapshotContents === undefined) return [`${volumes}: ${result(ofVolumes)}`];
  const snapshots = `${plural(storageSnapshots, "snapshot")} compared with ${plural(snapshotContents, "VolumeSnapshotContent")}`;
  return [`${volumes}: ${result(ofVolumes)}`, `${snapshots}: ${result(ofSnapshots)}`];
}

export const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** The storage does not say how old a volume or a snapshot is: it was in the first list. */
function ageOf(kind: string, now: number, since: string | undefined): string {
  const ago = age(now, since);
  if (ago === undefined) return "-";
  return kind === "volume without PV" || kind === "snapshot without content" || kind === "in progress" ? `>= ${ago}` : ago;
}

const isClean = ({ differences, incomplete }: Comparison) => differences.length === 0 && !incomplete;

/** For programs. Fields may be added, never renamed. */
export function renderJson(comparison: Comparison, { driver }: Inventory, notes: readonly string[]): string {
  return `${JSON.stringify({ driver, clean: isClean(comparison), ...comparison, notes }, undefined, 2)}\n`;
}
