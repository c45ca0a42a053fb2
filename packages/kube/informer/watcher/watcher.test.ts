import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import type { ListOptions } from "../../client/client.ts";
import { StatusError } from "../../client/status-error.ts";
import { metadataOnly } from "../../resource.ts";
import { TransportError } from "../../transport/transport.ts";
import {
  added,
  bookmark,
  type ConfigMap,
  ConfigMap as ConfigMaps,
  configMap,
  deleted,
  initialEnd,
  listOf,
  modified,
} from "../testing/objects.ts";
import { refused, ScriptedClient, type ScriptedRequest, ScriptedWatch, status, statusError } from "../testing/scripted-client.ts";
import { streamedListsEnabled, type WatcherOptions, watcher } from "./watcher.ts";

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

/** Runs a watcher and writes its events down as `Apply a@7`. */
function run(options: Partial<WatcherOptions<ConfigMap, ConfigMap>> = {}) {
  const client = new ScriptedClient();
  const clock = new FakeClock();
  const log = recordingLogger();
  const stop = new AbortController();
  stops.push(stop);
  const seen: string[] = [];
  const project = (object: ConfigMap) => object;
  const events = watcher({ client, resource: ConfigMaps, project, clock, log, signal: stop.signal, random: () => 0.5, ...options });
  const done = (async () => {
    for await (const event of events) {
      if ("object" in event) seen.push(`${event.type} ${event.object.metadata?.name}@${event.object.metadata?.resourceVersion}`);
      else if ("resourceVersion" in event) seen.push(`${event.type} @${event.resourceVersion}`);
      else seen.push(event.type === "Failed" ? `Failed ${event.error.message}` : event.type);
    }
  })();
  return { client, clock, log, stop, seen, done };
}

/** The errors in the log, as the events that go with them. */
const loggedErrors = (log: ReturnType<typeof recordingLogger>) =>
  log.lines.filter(({ severity }) => severity === "error").map(({ error }) => `Failed ${(error as Error).message}`);

const refusedWatch = "Failed open watch of configmaps: connection refused";
const serverDown = [refusedWatch, "Failed open watch of configmaps: failed"];

const items = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => configMap(`c${from + i}`, 1));

/** A watch that has sent its list and stands at `resourceVersion`. */
function streamed(resourceVersion: string, ...objects: ConfigMap[]): ScriptedWatch {
  const watch = new ScriptedWatch();
  watch.send(...objects.map(added), initialEnd(resourceVersion));
  return watch;
}

const expired = { type: "ERROR", object: status(410, "Expired", "too old resource version") } as const;
const streamQuery = {
  resourceVersionMatch: "NotOlderThan",
  sendInitialEvents: true,
  allowWatchBookmarks: true,
  timeoutSeconds: 450,
} as const;
const watchQuery = (resourceVersion: string): ScriptedRequest => ({
  verb: "watch",
  options: { resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 450 },
});
const listQuery = (options: ListOptions): ScriptedRequest => ({ verb: "list", options });

describe("a streamed list", () => {
  test("asks for initial events, is complete at the annotated bookmark, and goes on over the same stream", async () => {
    const { client, clock, seen } = run();
    const watch = new ScriptedWatch();
    client.answer(watch);
    watch.send(bookmark("3"), initialEnd("5"));
    await clock.advance(0);
    expect(client.requests).toEqual([{ verb: "watch", options: { resourceVersion: "", ...streamQuery } }]);
    expect(seen).toEqual(["Init", "InitDone @5", "Watching"]);
    watch.send(added(configMap("a", 6)), modified(configMap("a", 7)), deleted(configMap("a", 8)), bookmark("9"));
    await clock.advance(0);
    expect(seen.slice(3)).toEqual(["Apply a@6", "Apply a@7", "Delete a@8", "Bookmark @9"]);
    expect(client.requests).toHaveLength(1);
  });

  test("may lose objects while it runs", async () => {
    const { client, clock, seen } = run();
    const watch = new ScriptedWatch();
    watch.send(added(configMap("a", 1)), deleted(configMap("a", 2)), initialEnd("2"));
    client.answer(watch);
    await clock.advance(0);
    expect(seen).toEqual(["Init", "InitApply a@1", "Delete a@2", "InitDone @2", "Watching"]);
  });

  test("that is refused as a request falls back to a plain list for this round only", async () => {
    const { client, clock, seen } = run();
    const watch = new ScriptedWatch();
    client.answer(statusError(400, "BadRequest"), listOf("5", [configMap("a", 4)]), watch);
    await clock.advance(0);
    expect(client.requests.slice(1)).toEqual([listQuery({ resourceVersion: "0", limit: 500 }), watchQuery("5")]);
    expect(seen).toEqual(["Init", "InitApply a@4", "InitDone @5", "Watching"]);
    client.answer(streamed("9"));
    watch.send(expired);
    await clock.advance(1_200);
    expect(seen.some((line) => line.startsWith("Failed"))).toBe(false);
    expect(client.requests[3]).toEqual({ verb: "watch", options: { resourceVersion: "5", ...streamQuery } });
  });

  test("is retried when the server is down, without a plain list", async () => {
    const { client, clock, seen, log } = run();
    client.answer(refused(), statusError(429), streamed("5"));
    await clock.advance(1_200 + 2_400);
    expect(client.requests.map((request) => request.verb)).toEqual(["watch", "watch", "watch"]);
    expect(seen).toEqual([...serverDown, "Init", "InitDone @5", "Watching"]);
    expect(loggedErrors(log)).toEqual(serverDown);
  });

  test.each([
    ["expired", expired],
    ["too large", { type: "ERROR", object: status(504, "Timeout", "Too large resource version: 9, current: 3") } as const],
  ])("from a version that is %s begins again with the newest", async (_, error) => {
    const { client, clock } = run();
    const [first, second] = [streamed("5"), new ScriptedWatch()];
    client.answer(first, second, streamed("20"));
    first.send(expired);
    second.send(error);
    await clock.advance(2_000);
    expect(client.requests.map((request) => request.options.resourceVersion)).toEqual(["", "5", ""]);
  });

  test("that fails midway closes its connection before the plain list", async () => {
    const { client, clock, seen } = run();
    const watch = new ScriptedWatch();
    watch.send(added(configMap("a", 1)), { type: "ERROR", object: status(500, "InternalError") });
    client.answer(watch, listOf("5", []), new ScriptedWatch());
    await clock.advance(0);
    expect([watch.closed, seen]).toEqual([true, ["Init", "InitApply a@1", "Init", "InitDone @5", "Watching"]]);
  });

  test("that breaks before its end starts over", async () => {
    const { client, clock, seen } = run();
    const watch = new ScriptedWatch();
    watch.send(added(configMap("a", 1)));
    watch.end(new TransportError("reset", "cut"));
    client.answer(watch, streamed("5", configMap("b", 2)));
    await clock.advance(1_200);
    expect(seen).toEqual(["Init", "InitApply a@1", "Init", "InitApply b@2", "InitDone @5", "Watching"]);
  });

  test("logs every ten seconds that its end has not come", async () => {
    const { client, clock, log } = run();
    client.answer(new ScriptedWatch());
    await clock.advance(25_000);
    expect(log.lines.filter((line) => line.message.startsWith("Still waiting")).map((line) => line.fields.seconds)).toEqual([10, 20]);
  });
});

describe("a plain list", () => {
  test("comes in pages of 500, and only the first names a version", async () => {
    const { client, clock, seen } = run({ streaming: false });
    client.answer(
      listOf("7", items(0, 500), "p2"),
      listOf("7", items(500, 1000), "p3"),
      listOf("7", items(1000, 1200)),
      new ScriptedWatch(),
    );
    await clock.advance(0);
    expect(client.requests).toEqual([
      listQuery({ resourceVersion: "0", limit: 500 }),
      listQuery({ limit: 500, continue: "p2" }),
      listQuery({ limit: 500, continue: "p3" }),
      watchQuery("7"),
    ]);
    expect(seen.filter((line) => line.startsWith("InitApply"))).toHaveLength(1200);
  });

  test("whose second page expired is asked for whole at the first version", async () => {
    const { client, clock, seen } = run({ streaming: false });
    client.answer(
      listOf("7", [configMap("a", 1)], "p2"),
      statusError(410, "Expired"),
      listOf("9", [configMap("b", 1)]),
      new ScriptedWatch(),
    );
    await clock.advance(0);
    expect(client.requests[2]).toEqual(listQuery({ resourceVersion: "0" }));
    expect(seen).toEqual(["Init", "InitApply a@1", "Init", "InitApply b@1", "InitDone @9", "Watching"]);
  });

  test("at a known version has no limit, unless the server has once paged a list from its cache", async () => {
    for (const [token, limit] of [
      [undefined, undefined],
      ["p2", 500],
    ] as const) {
      const { client, clock } = run({ streaming: false });
      const watch = new ScriptedWatch();
      client.answer(listOf("7", [], token), ...(token ? [listOf("7", [])] : []), watch);
      watch.send(expired);
      await clock.advance(1_600);
      expect(client.requests.at(-1)).toEqual(listQuery({ resourceVersion: "7", limit }));
    }
  });

  test.each([
    ["Expired", statusError(410, "Expired")],
    ["Gone", statusError(410, "Gone")],
    ["too large, by cause", new StatusError({ ...status(504, "Timeout"), details: { causes: [{ reason: "ResourceVersionTooLarge" }] } })],
    ["too large, by message", statusError(504, "Timeout", "Too large resource version: 7")],
  ])("at a version that is %s is asked for at once without a version", async (_, error) => {
    const { client, clock } = run({ streaming: false });
    const watch = new ScriptedWatch();
    const next = new ScriptedWatch();
    client.answer(listOf("7", []), watch, error, listOf("9", []), next);
    watch.send(expired);
    await clock.advance(1_200);
    expect(client.requests.slice(2)).toEqual([
      listQuery({ resourceVersion: "7", limit: undefined }),
      listQuery({ resourceVersion: "", limit: 500 }),
      watchQuery("9"),
    ]);
    next.send(expired);
    await clock.advance(2_400);
    expect(client.requests.at(-1)).toEqual(listQuery({ resourceVersion: "9", limit: undefined }));
  });

  test("that fails is retried after a growing pause, logged as an error once and quietly while the same error repeats", async () => {
    const { client, clock, seen, log } = run({ streaming: false });
    client.answer(...Array.from({ length: 4 }, () => statusError(403, "Forbidden", "no")), listOf("1", []), new ScriptedWatch());
    await clock.advance(1_200 + 2_400 + 4_800 + 9_600);
    expect(seen.filter((line) => line.startsWith("Failed"))).toEqual(Array(4).fill("Failed list of configmaps: no"));
    expect(log.lines.filter((line) => line.severity === "error")).toHaveLength(1);
    expect(log.lines.filter((line) => line.level === 4)).toHaveLength(3);
  });
});

describe("a watch", () => {
  test("that the server closes after minutes is opened again at once from the last version", async () => {
    const { client, clock } = run();
    const watch = streamed("5");
    client.answer(watch, new ScriptedWatch());
    watch.send(added(configMap("a", 6)));
    await clock.advance(300_000);
    watch.end();
    await clock.advance(0);
    expect(client.requests.slice(1)).toEqual([watchQuery("6")]);
  });

  test("starts at the last bookmark", async () => {
    const { client, clock } = run();
    const watch = streamed("5");
    client.answer(watch);
    watch.send(bookmark("40"));
    watch.end(new TransportError("reset", "cut"));
    await clock.advance(0);
    expect(client.requests.slice(1)).toEqual([watchQuery("40")]);
  });

  test.each([
    [0, [800, 1_600, 3_200]],
    [0.999, [1_600, 3_200, 6_400]],
  ])("that is refused is retried with growing pauses and no list (random %p)", async (random, delays) => {
    const { client, clock, seen, log } = run({ random: () => random });
    const watch = streamed("5");
    client.answer(watch, refused(), refused(), statusError(429), new ScriptedWatch());
    await clock.advance(2_000);
    watch.end();
    await clock.advance(0);
    for (const [i, delay] of delays.entries()) {
      expect(client.requests).toHaveLength(2 + i);
      expect(clock.nextIn).toBeGreaterThanOrEqual(delay * 0.99);
      expect(clock.nextIn).toBeLessThanOrEqual(delay);
      await clock.advance(clock.nextIn ?? 0);
    }
    expect(client.requests.slice(1)).toEqual(
      Array(4).fill({ verb: "watch", options: expect.not.objectContaining({ sendInitialEvents: true }) }),
    );
    expect(client.requests.at(-1)?.options.resourceVersion).toBe("5");
    expect(seen.slice(3)).toEqual([refusedWatch, ...serverDown, "Watching"]);
    expect(loggedErrors(log)).toEqual(serverDown);
  });

  test("told to slow down by an event waits and continues from its version", async () => {
    const { client, clock, seen, log } = run();
    const watch = streamed("5");
    client.answer(watch, new ScriptedWatch());
    watch.send({ type: "ERROR", object: status(429, "TooManyRequests") });
    await clock.advance(1_100);
    expect(client.requests).toHaveLength(1);
    await clock.advance(100);
    expect(client.requests.slice(1)).toEqual([watchQuery("5")]);
    const failed = "Failed watch of configmaps: TooManyRequests";
    expect([seen.slice(3), loggedErrors(log)]).toEqual([[failed, "Watching"], [failed]]);
  });

  test.each([
    [
      "cannot be opened for another reason",
      (client: ScriptedClient, watch: ScriptedWatch) => {
        watch.end();
        client.answer(statusError(403, "Forbidden", "no"));
      },
    ],
    [
      "ends with another error",
      (_: ScriptedClient, watch: ScriptedWatch) => watch.send({ type: "ERROR", object: status(500, "InternalError", "no") }),
    ],
    ["cannot be decoded", (_: ScriptedClient, watch: ScriptedWatch) => watch.end(new TransportError("other", "no"))],
  ])("that %s leads to a new list after a pause", async (_, happen) => {
    const { client, clock, seen } = run();
    const watch = streamed("5");
    client.answer(watch);
    happen(client, watch);
    await clock.advance(1_200);
    expect(client.requests.at(-1)).toEqual({ verb: "watch", options: { resourceVersion: "5", ...streamQuery } });
    expect(seen.at(-1)).toMatch(/^Failed (open )?watch of configmaps: no$/);
  });

  test("that closes empty within a second, again and again, is no hot loop", async () => {
    const { client, clock } = run({ streaming: false });
    for (let i = 0; i < 50; i++) {
      const watch = new ScriptedWatch();
      watch.end();
      client.answer(listOf("5", []), watch);
    }
    await clock.advance(60_000);
    expect(client.requests.length).toBeLessThan(16);
  });

  test("that closes within a second after an event, again and again, is no hot loop either", async () => {
    const { client, clock } = run();
    const first = streamed("5");
    first.end();
    client.answer(first);
    for (let i = 0; i < 100; i++) {
      const watch = new ScriptedWatch();
      watch.send(bookmark(`${6 + i}`));
      watch.end();
      client.answer(watch);
    }
    await clock.advance(60_000);
    expect(client.requests.length).toBeGreaterThan(5);
    expect(client.requests.length).toBeLessThan(20);
  });

  test("of metadata takes what is sent: metadata, or whole objects from a server without support for it", async () => {
    const { client, clock, log, seen } = run({ resource: metadataOnly(ConfigMaps), project: ({ metadata }) => ({ metadata }) });
    const watch = new ScriptedWatch();
    const partial = (object: ConfigMap) => ({ ...object, kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" });
    watch.send(added(partial(configMap("a", 4))), initialEnd("5"), modified(partial(configMap("a", 6))), modified(configMap("a", 7)));
    client.answer(watch);
    await clock.advance(0);
    expect(seen).toEqual(["Init", "InitApply a@4", "InitDone @5", "Watching", "Apply a@6", "Apply a@7"]);
    expect([client.requests[0]?.metadataOnly, log.lines.filter(({ severity }) => severity === "error")]).toEqual([true, []]);
  });

  test("skips objects of another kind", async () => {
    const { client, clock, seen, log } = run();
    const watch = streamed("5");
    client.answer(watch);
    watch.send({ type: "ADDED", object: { ...configMap("a", 6), kind: "Secret" } }, added(configMap("b", 7)));
    await clock.advance(0);
    expect(seen.slice(2)).toEqual(["Watching", "Apply b@7"]);
    expect(log.lines.some((line) => line.fields.got === "Secret")).toBe(true);
  });
});

test("pauses start small again two minutes after they last did", async () => {
  const { client, clock } = run({ random: () => 0, streaming: false });
  client.answer(...Array.from({ length: 30 }, () => statusError(500)));
  const pauses: number[] = [];
  await clock.advance(0);
  for (let i = 0; i < 11; i++) {
    pauses.push(clock.nextIn ?? 0);
    await clock.advance(clock.nextIn ?? 0);
  }
  expect(pauses).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000, 800, 1_600]);
});

test.each([
  ["streamed", (client: ScriptedClient) => client.answer(streamed("5", ...items(0, 2_500)))],
  ["plain", (client: ScriptedClient) => client.answer(statusError(400), listOf("5", items(0, 2_500)))],
])("garbage is collected thoroughly when a long %s list has taken effect", async (_, answer) => {
  const { client, clock, stop, seen, done } = run();
  const gc = spyOn(Bun, "gc").mockImplementation((thorough) => seen.push(`gc ${thorough}`));
  answer(client);
  await clock.advance(0);
  gc.mockRestore();
  stop.abort();
  await done;
  expect(seen.filter((event) => event.startsWith("gc"))).toEqual(["gc true"]);
  expect(seen.indexOf("gc true")).toBe(seen.indexOf("InitDone @5") + 1);
});

test("aborting the signal ends the iteration, wherever it waits, and its watch", async () => {
  const watch = streamed("5");
  for (const prepare of [
    () => undefined,
    (client: ScriptedClient) => client.answer(watch),
    (client: ScriptedClient) => client.answer(statusError(400), statusError(500)),
  ]) {
    const { client, clock, stop, done } = run();
    prepare(client);
    await clock.advance(0);
    stop.abort();
    await done;
    expect(clock.waiting).toBe(0);
  }
  expect(watch.closed).toBe(true);
});

test.each([
  [{}, true],
  [{ KUBE_FEATURE_WatchListClient: "true" }, true],
  [{ KUBE_FEATURE_WatchListClient: "false" }, false],
  [{ KUBE_FEATURE_WatchListClient: "0" }, false],
])("streamed lists with the environment %p: %p", (env: Record<string, string>, enabled) => {
  expect(streamedListsEnabled(env)).toBe(enabled);
});
