import { expect } from "bun:test";
import type { Wire, WireAnswer } from "../../apiserver/testing/wire.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every kind
type Json = any;

/**
 * One request and the expected response:
 *
 * ```ts
 * ["MERGE /api/v1/persistentvolumes/a", { metadata: { labels: { x: null } } }, "200", { "metadata.labels": undefined }]
 * ```
 *
 * The verb is an HTTP method, or `MERGE`, `JSON` or `STRATEGIC` for the three kinds of PATCH. The body may be made from the last object
 * that was answered. A refusal without a message (`400 BadRequest`) may be explained in any words: the server's are about Go's
 * decoder there. The members named in the end are compared exactly; uids and times in them are replaced by `<uid>` and `<time>`.
 */
export type Step = readonly [request: string, body: unknown, said: string, members?: Readonly<Record<string, unknown>>];

const patchTypes: Readonly<Record<string, string>> = {
  MERGE: "application/merge-patch+json",
  JSON: "application/json-patch+json",
  STRATEGIC: "application/strategic-merge-patch+json",
};

/** Sends the requests one after the other and compares the responses. */
export async function follow(wire: Wire, steps: readonly Step[]): Promise<void> {
  let last: Json;
  for (const [request, body, said, members = {}] of steps) {
    const answer = await send(wire, request, typeof body === "function" ? body(last) : body);
    const seen = Object.keys(members).map((path) => [path, memberAt(answer.body, path)]);
    const saying = /^[45]\d\d \w+$/.test(said) ? outcomeOf(answer).replace(/: .*/s, "") : outcomeOf(answer);
    expect({ request, said: saying, members: Object.fromEntries(seen) }).toStrictEqual({ request, said, members });
    if (answer.code < 300) last = answer.body;
  }
}

/** Sends a request in the form that steps have. */
export function send(wire: Wire, request: string, body?: unknown): ReturnType<Wire["request"]> {
  const space = request.indexOf(" ");
  const verb = request.slice(0, space);
  const patchType = patchTypes[verb];
  return wire.request(patchType ? "PATCH" : verb, request.slice(space + 1), body, patchType);
}

/** An answer in one line (Go's diff of an immutable spec, from the second on, is left out): `201`, or `409 AlreadyExists: leases.coordination.k8s.io "a" already exists`. */
export function outcomeOf({ code, body }: WireAnswer): string {
  if (code < 400) return String(code);
  if (typeof body === "string") return `${code} ${body.trim()}`;
  const { reason, message } = body;
  return `${code}${reason ? ` ${reason}` : ""}${message === undefined ? "" : `: ${withoutVolatile(message.split("\n", 1)[0])}`}`;
}

/** The member at a dotted path (list items by their number), with what differs from run to run made equal. */
export function memberAt(object: unknown, path: string): unknown {
  let member = object;
  for (const part of path === "" ? [] : path.split(".")) member = (member as Record<string, unknown> | undefined)?.[part];
  return withoutVolatile(member);
}

/** The same value with uids, times and test users replaced by their names, and without versions and managed fields. */
export function withoutVolatile<T>(value: T): T;
export function withoutVolatile(value: unknown): unknown {
  if (typeof value === "string") {
    return value
      .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, "<uid>")
      .replace(/"user-\d+"/g, '"<user>"')
      .replace(/ in record \(\d+\)/g, " in record (<version>)")
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<time>");
  }
  if (Array.isArray(value)) return value.map((item) => withoutVolatile(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "managedFields" && name !== "resourceVersion")
      .map(([name, member]) => [name, withoutVolatile(member)]),
  );
}
