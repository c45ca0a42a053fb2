import type { ProtoView } from "../calls/proto-view.ts";
import type { FieldTest } from "./rule.ts";

/** Whether a request passes all tests. */
export function passes(request: ProtoView, tests: Readonly<Record<string, FieldTest>> = {}): boolean {
  return Object.entries(tests).every(([path, test]) => passesOne(valueAt(request, path), test));
}

function passesOne(value: unknown, test: FieldTest): boolean {
  const text = value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  return typeof test === "object" ? new RegExp(test.regex).test(text) : text === String(test);
}

/** The value at a dotted path; the key of a map may itself have dots. */
function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const members: Readonly<Record<string, unknown>> = { ...value };
  if (Object.hasOwn(members, path)) return members[path];
  const [head = "", ...rest] = path.split(".");
  return rest.length > 0 ? valueAt(members[head], rest.join(".")) : undefined;
}
