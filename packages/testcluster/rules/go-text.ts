import { isObject } from "./json.ts";

/** A value as Go's `%v` prints it: `map[spec:map[a:1] x:[1 2]]`. */
export function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isObject(value)) return value === null || value === undefined ? "<nil>" : String(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([name, member]) => `${name}:${goText(member)}`).join(" ")}]`;
}
