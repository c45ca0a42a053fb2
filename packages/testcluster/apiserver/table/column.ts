import { at, type JsonObject, stringAt } from "../../rules/json.ts";
import { humanDuration } from "./human-duration.ts";

/** One column of what `kubectl get` prints. */
export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "number" | "date";
  readonly format: "" | "name";
  /** Above 0 it is only shown when asked for (`-o wide`). */
  readonly priority: number;
  cell(object: JsonObject, now: number): unknown;
}

export const column = (name: string, cell: Column["cell"], type: Column["type"] = "string"): Column => ({
  name,
  type,
  format: "",
  priority: 0,
  cell,
});

/** A column for `-o wide`. */
export const wide = (shown: Column): Column => ({ ...shown, priority: 1 });

/** A column that shows one member, or a word where it is absent. */
export const member = (name: string, path: readonly string[], absent: unknown = "", type: Column["type"] = "string"): Column =>
  column(name, (object) => at(object, ...path) ?? absent, type);

export const nameOf = (object: JsonObject): string => stringAt(object, "metadata", "name");

/** The object's name; kinds that mark a default class show more. */
export const nameColumn = (cell: (object: JsonObject) => string = nameOf): Column => ({ ...column("Name", cell), format: "name" });

export const age = column("Age", (object, now) => since(stringAt(object, "metadata", "creationTimestamp"), now));

/** What is printed of kinds that nobody has made columns for. */
export const createdAt = column("Created At", (object) => stringAt(object, "metadata", "creationTimestamp"), "date");

/** How long ago a time was. */
export const since = (time: string, now: number): string => (time === "" ? "<unknown>" : humanDuration(now - Date.parse(time)));

/** Labels as `a=b,c=d`, in the order of their names. */
export function labelText(labels: JsonObject): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? "<none>" : pairs.map(([name, value]) => `${name}=${value}`).join(",");
}
