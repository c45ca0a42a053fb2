import { describe, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { PersistentVolume, watcher } from "@csi-sidecars/kube";
import type { WatchEvent } from "../../packages/kube/client/client.ts";
import { failureOf } from "../../packages/kube/transport/testing/expectations.ts";
import { streamHeaders, watchedServer } from "./testing/watched-server.ts";

const MiB = 1024 * 1024;
const added = (name: string, more: object = {}) => `${JSON.stringify({ type: "ADDED", object: { metadata: { name, ...more } } })}\n`;

async function namesOf(events: AsyncIterable<WatchEvent<object>>, into: string[]): Promise<void> {
  for await (const event of events) into.push((event.object as { metadata?: { name?: string } }).metadata?.name ?? event.type);
}

/** Reads a watch to its end; what was read, and the error that ended it. */
async function read(script: (response: ServerResponse) => void) {
  await using server = await watchedServer((_, response) => script(response.writeHead(200, streamHeaders)));
  const names: string[] = [];
  const stream = await server.client.watch(PersistentVolume, { timeoutSeconds: 300 });
  const outcome = await namesOf(stream, names).then(
    () => undefined,
    (error: unknown) => error,
  );
  const error = outcome === undefined ? undefined : await failureOf(Promise.reject(outcome));
  return { names, error: error && { kind: error.kind, message: error.message } };
}

/** Writes as fast as the client reads, until it ends the connection; counts what it took. */
async function flood(response: ServerResponse, piece: Buffer, taken: { bytes: number }): Promise<void> {
  const closed = new Promise<void>((resolve) => void response.once("close", resolve));
  while (!response.closed && !response.destroyed) {
    const more = response.write(piece);
    taken.bytes += piece.length;
    if (!more) await Promise.race([closed, new Promise<void>((resolve) => void response.once("drain", resolve))]);
  }
}

describe("a line of a watch", () => {
  test("that does not end is given up at 16 MiB", async () => {
    const taken = { bytes: 0 };
    const { names, error } = await read((response) => {
      response.write(added("before"));
      void flood(response, Buffer.alloc(64 * 1024, "x"), taken);
    });
    expect(names).toEqual(["before"]);
    expect(error).toEqual({ kind: "other", message: expect.stringContaining("larger than 16 MiB") });
    expect(taken.bytes).toBeLessThan(64 * MiB);
  });

  test("of more than 16 MiB is refused, one of almost 16 MiB is read", async () => {
    const { names, error } = await read((response) => {
      response.write(added("large", { annotations: { text: "x".repeat(16 * MiB - 100) } }));
      response.end(added("too large", { annotations: { text: "x".repeat(16 * MiB) } }));
    });
    expect(names).toEqual(["large"]);
    expect(error?.message).toContain("larger than 16 MiB");
  });

  test("that is cut at each of its bytes is read", async () => {
    const lines = Buffer.from(added("größe") + added("𝄞"));
    for (let at = 1; at < lines.length; at++) {
      const { names, error } = await read(async (response) => {
        response.write(lines.subarray(0, at));
        await new Promise<void>((resolve) => setImmediate(resolve));
        response.end(lines.subarray(at));
      });
      expect([at, names, error]).toEqual([at, ["größe", "𝄞"], undefined]);
    }
  });

  test.each([
    ["is not JSON", "rubbish\n", "other", "a line that is not JSON"],
    ["is JSON, but no object", "[]\n", "other", "a line that is not a watch event"],
    ["is null", "null\n", "other", "a line that is not a watch event"],
    ["is an event without an object", '{"type":"ADDED"}\n', "other", "a line that is not a watch event"],
    ["is an event with a text as its object", '{"type":"ADDED","object":"x"}\n', "other", "a line that is not a watch event"],
    ["is an event of an unknown type", '{"type":"RENAMED","object":{}}\n', "other", "a line that is not a watch event"],
    ["is cut off", '{"type":"ADDED","obj', "reset", "ended in the middle of an event"],
  ] as const)("that %s ends the watch with an error", async (_, line, kind, message) => {
    const { names, error } = await read((response) => response.end(added("before") + line));
    expect([names, error]).toEqual([["before"], { kind, message: expect.stringContaining(message) }]);
  });
});

describe("an informer's watch", () => {
  /** The types of the events that a watcher yields until `last`, with the requests that led to them. */
  async function watched(script: (response: ServerResponse, watches: number) => void, until: (events: readonly string[]) => boolean) {
    let watches = 0;
    await using server = await watchedServer((_, response) => script(response.writeHead(200, streamHeaders), watches++));
    const stop = new AbortController();
    const events: string[] = [];
    const errors: string[] = [];
    const passTime = setInterval(() => void server.clock.advance(1000), 1);
    const { client, clock, log } = server;
    const options = { client, clock, log, resource: PersistentVolume, signal: stop.signal, streaming: false, project: nameOf };
    try {
      for await (const event of watcher(options)) {
        events.push("object" in event ? `${event.type} ${event.object}` : event.type);
        if (event.type === "Failed") errors.push(event.error.message);
        if (until(events)) break;
      }
    } finally {
      stop.abort();
      clearInterval(passTime);
    }
    const urls = server.requests.map(({ url }) => url);
    const requests = urls.map((url) => (url.includes("watch=true") ? "watch" : "list"));
    const versions = urls.flatMap((url) => (url.includes("watch=true") ? (/[?&]resourceVersion=(\d+)/.exec(url)?.[1] ?? []) : []));
    return { events, errors, requests, versions };
  }

  const nameOf = ({ metadata }: { readonly metadata?: { readonly name?: string | undefined } | undefined }) => metadata?.name ?? "";

  test("that sends too long a line is followed by a new list", async () => {
    const { events, errors, requests } = await watched(
      (response, watches) => {
        if (watches === 0) void flood(response, Buffer.alloc(64 * 1024, "x"), { bytes: 0 });
        else response.write(added("after"));
      },
      (seen) => seen.at(-1) === "Apply after",
    );
    expect(events).toEqual(["Init", "InitDone", "Watching", "Failed", "Init", "InitDone", "Watching", "Apply after"]);
    expect(errors).toEqual([expect.stringContaining("larger than 16 MiB")]);
    expect(requests).toEqual(["list", "watch", "list", "watch"]);
  });

  test("that ends in the middle of a line is opened again from the last event, without a new list", async () => {
    const { events, requests, versions } = await watched(
      (response, watches) => {
        if (watches === 0) response.end(`${added("before", { resourceVersion: "107" })}{"type":"ADDED","obj`);
        else response.write(added("after"));
      },
      (seen) => seen.at(-1) === "Apply after",
    );
    expect(events).toEqual(["Init", "InitDone", "Watching", "Apply before", "Watching", "Apply after"]);
    expect(requests).toEqual(["list", "watch", "watch"]);
    expect(versions).toEqual(["100", "107"]);
  });

  test("that sends bookmarks by the thousand keeps its place", async () => {
    const bookmark = (version: number) =>
      `${JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: `${version}` } } })}\n`;
    const { events, requests, versions } = await watched(
      (response, watches) => {
        if (watches === 0) response.end(Array.from({ length: 20_000 }, (_, i) => bookmark(101 + i)).join(""));
        else response.write(added("after"));
      },
      (seen) => seen.at(-1) === "Apply after",
    );
    expect(events.filter((event) => event === "Bookmark")).toHaveLength(20_000);
    expect(requests).toEqual(["list", "watch", "watch"]);
    expect(versions).toEqual(["100", "20100"]);
  });
});
