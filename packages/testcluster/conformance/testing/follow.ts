import { expect } from "bun:test";
import type { Wire } from "../../apiserver/testing/wire.ts";
import { memberAt, told } from "./told.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every kind
type Json = any;

/**
 * One request and what the server says to it:
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

/** Sends the requests one after the other and compares the answers. */
export async function follow(wire: Wire, steps: readonly Step[]): Promise<void> {
  let last: Json;
  for (const [request, body, said, members = {}] of steps) {
    const answer = await send(wire, request, typeof body === "function" ? body(last) : body);
    const seen = Object.keys(members).map((path) => [path, memberAt(answer.body, path)]);
    const saying = /^[45]\d\d \w+$/.test(said) ? told(answer).replace(/: .*/s, "") : told(answer);
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
