import { describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { PersistentVolume, type V1PersistentVolume } from "../resources.ts";
import type { WatchEvent } from "./client.ts";
import { clientWorld } from "./testing/client-world.ts";
import { json, type Script } from "./testing/scripted-server.ts";

const event = (name: string) => ({ type: "ADDED", object: { metadata: { name, annotations: { text: "größe 𝄞" } } } });
const line = (name: string) => `${JSON.stringify(event(name))}\n`;
const headers = { "content-type": "application/json" };

async function read(stream: AsyncIterable<WatchEvent<V1PersistentVolume>>, into: string[] = []): Promise<string[]> {
  for await (const { object } of stream) into.push("metadata" in object ? (object.metadata?.name ?? "") : "");
  return into;
}

describe("watch", () => {
  test("asks with everything it was told", async () => {
    await using world = await clientWorld((_request, response) => response.end());
    const stream = await world.client.watch(PersistentVolume, {
      resourceVersion: "7",
      resourceVersionMatch: "NotOlderThan",
      sendInitialEvents: true,
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
      labelSelector: "a=b",
      fieldSelector: "metadata.name=x",
    });
    expect(await read(stream)).toEqual([]);
    expect(world.requests[0]?.url).toBe(
      "/api/v1/persistentvolumes?allowWatchBookmarks=true&fieldSelector=metadata.name%3Dx&labelSelector=a%3Db&resourceVersion=7&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=300&watch=true",
    );
    expect(world.clock.waiting).toBe(0);
  });

  test("yields events that come in pieces, cut inside characters too", async () => {
    const bytes = Buffer.from(line("a") + line("b") + line("c"));
    await using world = await clientWorld(async (_request, response) => {
      response.writeHead(200, headers);
      for (let at = 0; at < bytes.length; at += 11) {
        response.write(bytes.subarray(at, at + 11));
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const events: WatchEvent<V1PersistentVolume>[] = [];
    for await (const e of await world.client.watch(PersistentVolume, {})) events.push(e);
    expect(events as unknown[]).toEqual([event("a"), event("b"), event("c")]);
  });

  test("events are there before the stream ends", async () => {
    let end = () => {};
    await using world = await clientWorld((_request, response) => {
      response.writeHead(200, headers);
      response.write(line("a"));
      end = () => response.end();
    });
    const names: string[] = [];
    const reading = read(await world.client.watch(PersistentVolume, {}), names);
    await until("the first event", () => names.length === 1);
    end();
    expect(await reading).toEqual(["a"]);
  });

  test("a connection cut inside an event is a reset, after the whole events", async () => {
    await using world = await clientWorld((_request, response) => {
      response.writeHead(200, headers);
      response.end(line("a") + line("b").slice(0, 20));
    });
    const names: string[] = [];
    await expect(read(await world.client.watch(PersistentVolume, {}), names)).rejects.toMatchObject({ kind: "reset" });
    expect(names).toEqual(["a"]);
    expect(world.clock.waiting).toBe(0);
  });

  test("a line that is not JSON ends the watch", async () => {
    await using world = await clientWorld((_request, response) => response.writeHead(200, headers).end("what?\n"));
    await expect(read(await world.client.watch(PersistentVolume, {}))).rejects.toThrow("not JSON");
  });

  test("a half-open connection is closed 30 s after the server should have closed it", async () => {
    await using world = await clientWorld((_request, response) => {
      response.writeHead(200, headers);
      response.write(line("a"));
    });
    const names: string[] = [];
    const outcome = read(await world.client.watch(PersistentVolume, { timeoutSeconds: 300 }), names).catch((error) => error);
    await until("the first event", () => names.length === 1);
    await world.clock.advance(329_999);
    expect(world.clock.waiting).toBe(1);
    await world.clock.advance(1);
    expect(await outcome).toMatchObject({ name: "TransportError", kind: "timeout" });
  });

  test("the caller's signal ends it", async () => {
    const stop = new AbortController();
    await using world = await clientWorld((_request, response) => {
      response.writeHead(200, headers);
      response.write(line("a"));
    });
    const names: string[] = [];
    const outcome = read(await world.client.watch(PersistentVolume, { signal: stop.signal }), names).catch((error) => error);
    await until("the first event", () => names.length === 1);
    stop.abort();
    expect(await outcome).toMatchObject({ kind: "aborted" });
    expect(world.clock.waiting).toBe(0);
  });
});

describe("leaving a watch", () => {
  /** A watch that sends one event, and whether the server has seen its end. */
  const quiet = async () => {
    const state = { closed: false };
    const world = await clientWorld((_request, response) => {
      response.on("close", () => {
        state.closed = true;
      });
      response.writeHead(200, headers);
      response.write(line("a"));
    });
    const stream = await world.client.watch(PersistentVolume, {});
    return { world, iterator: stream[Symbol.asyncIterator](), state };
  };

  test("a loop that is left closes the connection and keeps no timer", async () => {
    const { world, iterator, state } = await quiet();
    await using _ = world;
    await iterator.next();
    await iterator.return?.();
    expect(world.clock.waiting).toBe(0);
    await until("the server to see the end", () => state.closed);
  });

  test("so does one that was never begun", async () => {
    const { world, iterator, state } = await quiet();
    await using _ = world;
    await iterator.return?.();
    expect(world.clock.waiting).toBe(0);
    await until("the server to see the end", () => state.closed);
  });

  test("a pending read ends without an event", async () => {
    const { world, iterator, state } = await quiet();
    await using _ = world;
    await iterator.next();
    const next = iterator.next();
    await iterator.return?.();
    expect((await next).done).toBe(true);
    await until("the server to see the end", () => state.closed);
  });
});

describe("opening a watch", () => {
  test("a refusal is an error", async () => {
    const expired = { kind: "Status", status: "Failure", reason: "Expired", code: 410, message: "too old resource version" };
    await using world = await clientWorld((_request, response) => json(response, expired, 410));
    await expect(world.client.watch(PersistentVolume, { resourceVersion: "1" })).rejects.toThrow("too old resource version");
    expect(world.clock.waiting).toBe(0);
  });

  test("a broken connection is retried after 1 s; the retries take tokens", async () => {
    await using world = await clientWorld((_request, response, index) => (index < 2 ? response.socket?.destroy() : response.end()), {
      qps: 1,
      burst: 1,
    });
    const opening = world.client.watch(PersistentVolume, {});
    for (let count = 2; count <= 3; count++) {
      await until("the pause", () => world.clock.waiting > 0);
      await world.clock.advance(1000);
      await until(`attempt ${count}`, () => world.requests.length === count);
    }
    expect(await read(await opening)).toEqual([]);
  });

  test("after ten retries it is as good as a watch that ended at once", async () => {
    const broken: Script = (_request, response) => response.socket?.destroy();
    await using world = await clientWorld(broken);
    const opening = world.client.watch(PersistentVolume, {});
    for (let count = 2; count <= 11; count++) {
      await until("the pause", () => world.clock.waiting > 0);
      await world.clock.advance(1000);
      await until(`attempt ${count}`, () => world.requests.length === count);
    }
    expect(await read(await opening)).toEqual([]);
    expect(world.requests).toHaveLength(11);
  });
});
