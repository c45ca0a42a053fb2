import type { DiskLocation } from "./types.ts";

export interface ParsedLocation {
  readonly location: DiskLocation;
  /** Names in parts of the form `Name number` that are not known: `Port`. */
  readonly unknownNames: readonly string[];
}

const fields: ReadonlyMap<string, keyof DiskLocation> = new Map([
  ["Adapter", "adapter"],
  ["Bus", "bus"],
  ["Target", "target"],
  ["LUN", "lunId"],
]);

/**
 * Reads the location that Windows gives a disk: `PCI Slot 3 : Adapter 0 : Port 0 : Target 1 : LUN 0`. `undefined` for a text that says
 * nothing about adapter, bus, target or LUN in that form, as that of many virtual disks.
 */
export function parseDiskLocation(text: string): ParsedLocation | undefined {
  const parts = text.split(":");
  if (parts.length < 5) return undefined;
  const location = { adapter: "", bus: "", target: "", lunId: "" };
  const unknownNames: string[] = [];
  let isFound = false;
  for (const part of parts.map((part) => part.trim())) {
    const [name, value, ...more] = part.split(" ");
    if (name === undefined || value === undefined || more.length > 0) continue;
    isFound = true;
    const field = fields.get(name);
    if (field) location[field] = value;
    else unknownNames.push(name);
  }
  return isFound ? { location, unknownNames } : undefined;
}
