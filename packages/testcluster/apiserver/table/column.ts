import { at, type JsonObject, stringAt } from "../../rules/json.ts";

/** A column of `kubectl get`. */
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

/** A column that shows one field, or a default where it is absent. */
export const member = (name: string, path: readonly string[], absent: unknown = "", type: Column["type"] = "string"): Column =>
  column(name, (object) => at(object, ...path) ?? absent, type);

export const nameOf = (object: JsonObject): string => stringAt(object, "metadata", "name");

/** The object's name; kinds that mark a default class show more. */
export const nameColumn = (cell: (object: JsonObject) => string = nameOf): Column => ({ ...column("Name", cell), format: "name" });

export const age = column("Age", (object, now) => since(stringAt(object, "metadata", "creationTimestamp"), now));

/** The column of kinds without printer columns. */
export const createdAt = column("Created At", (object) => stringAt(object, "metadata", "creationTimestamp"), "date");

/** How long ago a time was. */
export const since = (time: string, now: number): string => (time === "" ? "<unknown>" : humanDuration(now - Date.parse(time)));

/** Labels as `a=b,c=d`, in the order of their names. */
export function labelText(labels: JsonObject): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? "<none>" : pairs.map(([name, value]) => `${name}=${value}`).join(",");
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** How long ago, as kubectl writes ages: two units while they are small, one where the second no longer matters. */
export function humanDuration(ms: number): string {
  if (ms < -second) return "<invalid>";
  if (ms < 0) return "0s";
  if (ms < 2 * minute) return whole(ms, second, "s");
  if (ms < 10 * minute) return pair(ms, minute, "m", second, "s");
  if (ms < 3 * hour) return whole(ms, minute, "m");
  if (ms < 8 * hour) return pair(ms, hour, "h", minute, "m");
  if (ms < 2 * day) return whole(ms, hour, "h");
  if (ms < 8 * day) return pair(ms, day, "d", hour, "h");
  if (ms < 2 * year) return whole(ms, day, "d");
  if (ms < 8 * year) return pair(ms, year, "y", day, "d");
  return whole(ms, year, "y");
}

const whole = (ms: number, unit: number, name: string): string => `${Math.floor(ms / unit)}${name}`;

function pair(ms: number, unit: number, name: string, smaller: number, smallerName: string): string {
  const rest = Math.floor((ms % unit) / smaller);
  return whole(ms, unit, name) + (rest === 0 ? "" : `${rest}${smallerName}`);
}
