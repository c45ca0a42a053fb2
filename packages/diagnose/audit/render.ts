import { visible } from "@csi-sidecars/base";
import { age, alignColumns } from "../text.ts";
import type { Comparison } from "./compare.ts";
import type { Inventory } from "./inventory.ts";

/** For people. */
export function renderTable(
  { differences, inProgress, storageVolumes, persistentVolumes }: Comparison,
  inventory: Inventory,
  notes: readonly string[],
): string {
  const counted = `${plural(storageVolumes, "volume")} of driver ${inventory.driver} compared with ${plural(persistentVolumes, "PersistentVolume")}`;
  const result = `${counted}: ${differences.length === 0 ? "no differences" : plural(differences.length, "difference")}`;
  const rows = [...differences, ...inProgress.map((each) => ({ ...each, kind: "in progress" }))].map(
    ({ kind, volume, object, node, since, note }) => [
      kind,
      volume,
      object ?? "-",
      node ?? "-",
      ageOf(kind, inventory.now, since),
      note ?? "",
    ],
  );
  const table = rows.length > 0 ? alignColumns([["DIFFERENCE", "VOLUME", "OBJECT", "NODE", "AGE", "NOTE"], ...rows]) : [];
  return `${[...table, ...[result, ...notes].map(visible)].join("\n")}\n`;
}

const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** The storage does not say how old a volume is: it was in the first list. */
function ageOf(kind: string, now: number, since: string | undefined): string {
  const ago = age(now, since);
  if (ago === undefined) return "-";
  return kind === "volume without PV" || kind === "in progress" ? `>= ${ago}` : ago;
}

/** For programs. Fields may be added, never renamed. */
export function renderJson(comparison: Comparison, { driver }: Inventory, notes: readonly string[]): string {
  return `${JSON.stringify({ driver, clean: comparison.differences.length === 0, ...comparison, notes }, undefined, 2)}\n`;
}
