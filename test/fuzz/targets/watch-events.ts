import { stringifyExactJson, systemClock } from "@csi-sidecars/base";
import { WatchCancellation, watchEvents } from "../../../packages/kube/client/watch-stream.ts";
import type { KubeObject } from "../../../packages/kube/object.ts";
import { TransportError } from "../../../packages/kube/transport/transport.ts";
import type { Random } from "../engine/random.ts";
import { splits } from "../engine/split.ts";
import { expectSame, type Target } from "../engine/target.ts";

/** The events of a watch, and how it ended. */
interface Events {
  readonly events: readonly unknown[];
  readonly end: string;
}

export const watchBody: Target = {
  name: "watch-events",
  about:
    "the body of a watch: the events that JSON.parse finds in its lines, in whatever pieces the bytes come, with exact integers or not",
  tokens: [
    "\n",
    "\r\n",
    '"managedFields":[',
    '"metadata":{',
    '{"type":"ADDED","object":{"metadata":{"managedFields":[{}]}}}',
    "]",
    "}",
    '"',
    "\\",
    '\\"',
    "\\u0000",
    ",",
    "\xef\xbb\xbf",
    "\xf0\x9d\x84\x9e",
    "__proto__",
    ...["1700000000123456789", "-9223372036854775808", ":9223372036854775808", "[1e400,", "7".repeat(400)],
  ],
  generate: (random) => Buffer.from(random.several(4, () => `${stringifyExactJson(event(random))}\n`).join("")),
  open: () => ({
    async check(input) {
      const whole = await read([input]);
      const expected = specified(Buffer.from(input));
      if (expected) expectSame("not the events of the watch", whole, expected);
      expectSame("exact integers change more than integers", await read([input], true), whole);
      for (const pieces of splits(input)) expectSame("the events depend on how the bytes are split", whole, await read(pieces));
    },
  }),
};

function event(random: Random): unknown {
  const text = random.pick(["a", "ü€", '"]}', '\\"', '"managedFields":[', "\u{1d11e}"]);
  const managed = [{ manager: text, operation: "Update", fieldsV1: { "f:metadata": { "f:labels": { [`f:${text}`]: {} } } } }];
  const metadata = {
    ...(random.chance(0.5) && { name: text, annotations: { [text]: text } }),
    ...(random.chance(0.7) && { managedFields: random.several(2, () => managed[0]) }),
    ...(random.chance(0.5) && { labels: { managedFields: text } }),
  };
  const type = random.pick(["ADDED", "MODIFIED", "BOOKMARK"]);
  const time = random.pick([1_700_000_000_123_456_789n, -(2n ** 63n), 2n ** 70n, 1.5e300, 7]);
  return { type, object: { kind: "ConfigMap", ...(random.chance(0.9) && { metadata }), data: { text, time, list: [metadata] } } };
}

async function read(pieces: readonly Uint8Array[], int64 = false): Promise<Events> {
  const events: unknown[] = [];
  try {
    const cancellation = new WatchCancellation(systemClock, undefined);
    for await (const each of watchEvents<KubeObject>(chunks(pieces), cancellation, int64)) events.push(withoutManagedFields(each));
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return { events, end: error.kind };
  }
  return { events, end: "complete" };
}

/** In memory that is used again and again, as a transport may do. */
async function* chunks(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  const memory = new Uint8Array(Math.max(0, ...pieces.map(({ length }) => length)));
  for (const piece of pieces) {
    memory.set(piece);
    yield memory.subarray(0, piece.length);
  }
}

/**
 * The same with `JSON.parse` on the lines of the whole text; `undefined` where that finds a mistake which the reader may not see,
 * because it leaves out the managed fields unread.
 */
function specified(body: Buffer): Events | undefined {
  const events: unknown[] = [];
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = body.indexOf("\n"); end >= 0; end = body.indexOf("\n", start)) {
    lines.push(body.subarray(start, end));
    start = end + 1;
  }
  for (const line of lines) {
    const text = new TextDecoder().decode(line);
    if (text === "") continue;
    try {
      const parsed = JSON.parse(text);
      if (!types.includes(parsed?.type) || !parsed.object || typeof parsed.object !== "object") return { events, end: "other" };
      events.push(withoutManagedFields(parsed));
    } catch {
      return text.includes('"managedFields":[') ? undefined : { events, end: "other" };
    }
  }
  return { events, end: start < body.length ? "reset" : "complete" };
}

const types = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"];

/** The reader may drop them, and need not. Exact integers become numbers again. */
function withoutManagedFields(value: unknown): unknown {
  return JSON.parse(stringifyExactJson(value), (key, inner) => (key === "managedFields" && Array.isArray(inner) ? [] : inner));
}
