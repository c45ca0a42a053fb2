import { Field } from "./json.ts";
import { decodeGroup, decodeSnapshot, decodeVolume, encodeGroup, encodeSnapshot, encodeVolume, type Home } from "./record-format.ts";
import type { Change } from "./records.ts";

/** The JSON of changes that belong together: one line of the journal. */
export function encodeChanges(changes: readonly Change[]): string {
  return JSON.stringify(changes.map(encodeChange));
}

function encodeChange(change: Change): object {
  if ("remove" in change) return { Remove: change.remove, Id: change.id };
  switch (change.put) {
    case "volume":
      return { Volume: encodeVolume(change.record) };
    case "snapshot":
      return { Snapshot: encodeSnapshot(change.record) };
    case "group":
      return { GroupSnapshot: encodeGroup(change.record) };
  }
}

/** Reads what {@link encodeChanges} wrote; throws an error that names the field that is not as it should be. */
export function decodeChanges(json: string, home: Home): Change[] {
  return new Field(JSON.parse(json), "changes").list().map((field) => decodeChange(field, home));
}

function decodeChange(field: Field, home: Home): Change {
  if (!field.at("Volume").absent) return { put: "volume", record: decodeVolume(field.at("Volume"), home) };
  if (!field.at("Snapshot").absent) return { put: "snapshot", record: decodeSnapshot(field.at("Snapshot"), home, () => "mount") };
  if (!field.at("GroupSnapshot").absent) return { put: "group", record: decodeGroup(field.at("GroupSnapshot")) };
  const remove = field.at("Remove").text();
  if (remove !== "volume" && remove !== "snapshot" && remove !== "group") throw new Error(`${field.path} is no change`);
  return { remove, id: field.at("Id").id() };
}
