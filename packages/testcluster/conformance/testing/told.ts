import type { WireAnswer } from "../../apiserver/testing/wire.ts";

/** An answer in one line (Go's diff of an immutable spec, from the second on, is left out): `201`, or `409 AlreadyExists: leases.coordination.k8s.io "a" already exists`. */
export function told({ code, body }: WireAnswer): string {
  if (code < 400) return String(code);
  if (typeof body === "string") return `${code} ${body.trim()}`;
  const { reason, message } = body;
  return `${code}${reason ? ` ${reason}` : ""}${message === undefined ? "" : `: ${timeless(message.split("\n", 1)[0])}`}`;
}

/** The member at a dotted path (list items by their number), with what differs from run to run made equal. */
export function memberAt(object: unknown, path: string): unknown {
  let member = object;
  for (const part of path === "" ? [] : path.split(".")) member = (member as Record<string, unknown> | undefined)?.[part];
  return timeless(member);
}

/** The same value with uids, times and test users replaced by their names, and without versions and managed fields. */
export function timeless<T>(value: T): T;
export function timeless(value: unknown): unknown {
  if (typeof value === "string") {
    return value
      .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, "<uid>")
      .replace(/"user-\d+"/g, '"<user>"')
      .replace(/ in record \(\d+\)/g, " in record (<version>)")
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<time>");
  }
  if (Array.isArray(value)) return value.map((item) => timeless(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "managedFields" && name !== "resourceVersion")
      .map(([name, member]) => [name, timeless(member)]),
  );
}
