import { afterEach, describe, expect, test } from "bun:test";
import { AsyncLocalStorage } from "node:async_hooks";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import type { Cached, CachedOf } from "../fields/fields.ts";
import { projector } from "../fields/projection.ts";
import { added, ConfigMap, configMap, configMapFields, deleted, initialEnd, modified } from "../testing/objects.ts";
import { ScriptedClient, ScriptedWatch, status } from "../testing/scripted-client.ts";
import { watcher } from "../watcher/watcher.ts";
import type { Handler } from "./event-handler.ts";
import { SharedInformer } from "./shared-informer.ts";

type Seen = Cached & Partial<CachedOf<typeof configMapFields>>;

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function world() {
  const client = new ScriptedClient();
  const clock = new FakeClock();
  const log = recordingLogger(0);
  const stop = new AbortController();
  stops.push(stop);
  const errors: string[] = [];
  const project = projector(configMapFields.tree, { freeze: true });
  const informer = new SharedInformer<Seen>({
    name: "configmaps",
    clock,
    log,
    onError: (error, where) => errors.push(`${where}: ${error}`),
    events: ({ signal, since }) => watcher({ client, resource: ConfigMap, project, clock, log, signal, since, random: () => 0 }),
  });
  return { client, clock, log, stop, errors, informer, settle: () => clock.advance(0) };
}

/** Writes down what it is told as `+a@1`, `~a@1>2`, `-a@2`; `i` marks initial, `?` an unknown final state. */
function recorder(): Handler<Seen> & { readonly told: string[] } {
  const told: string[] = [];
  const at = (object: Seen) => `${object.metadata.name}@${object.metadata.resourceVersion}`;
  return {
    told,
    onAdd: (object, { initial }) => void told.push(`+${at(object)}${initial ? "i" : ""}`),
    onUpdate: (old, object) => void told.push(`~${at(old)}>${object.metadata.resourceVersion}`),
    onDelete: (object, { finalStateUnknown }) => void told.push(`-${at(object)}${finalStateUnknown ? "?" : ""}`),
  };
}

function streamed(resourceVersion: string, ...names: string[]): ScriptedWatch {
  const watch = new ScriptedWatch();
  watch.send(...names.map((name) => added(configMap(name, 1))), initialEnd(resourceVersion));
  return watch;
}

const expired = { type: "ERROR", object: status(410, "Expired") } as const;

describe("syncing", () => {
  test("an empty cluster is synced without a call", async () => {
    const { client, informer, stop, settle } = world();
    const handler = recorder();
    const registration = informer.addHandler(handler);
    informer.start(stop.signal);
    await settle();
    expect([informer.hasSynced(), registration.hasSynced()]).toEqual([false, false]);
    client.answer(streamed("5"));
    await informer.waitForSync();
    await registration.waitForSync();
    expect([handler.told, informer.lastResourceVersion(), informer.status().state]).toEqual([[], "5", "synced"]);
  });

  test("nothing is seen before the list is complete, then everything is", async () => {
    const { client, informer, stop, settle } = world();
    const handler = recorder();
    informer.addHandler(handler);
    informer.addIndex("first letter", (object) => [object.metadata.name.slice(0, 1)]);
    informer.start(stop.signal);
    const watch = new ScriptedWatch();
    client.answer(watch);
    watch.send(added(configMap("a", 1)), added(configMap("b", 1)));
    await settle();
    expect([informer.store.list(), informer.store.get("default/a"), handler.told]).toEqual([[], undefined, []]);
    watch.send(initialEnd("5"));
    await settle();
    expect(handler.told).toEqual(["+a@1i", "+b@1i"]);
    expect(informer.store.get("default/a")?.metadata.name).toBe("a");
    expect(informer.store.byIndex("first letter", "b").map((object) => object.metadata.name)).toEqual(["b"]);
    expect([informer.store.list("default").length, informer.store.list("other").length]).toEqual([2, 0]);
  });

  test("a handler has synced when it was called for every object, not before", async () => {
    const { client, informer, stop, settle } = world();
    const gate = Promise.withResolvers<void>();
    const registration = informer.addHandler({ onAdd: () => gate.promise });
    informer.start(stop.signal);
    client.answer(streamed("5", "a"));
    await settle();
    expect([informer.hasSynced(), registration.hasSynced()]).toEqual([true, false]);
    gate.resolve();
    await registration.waitForSync();
  });
});

describe("following", () => {
  test("changes arrive in order, after the store has them; a deletion carries the final state", async () => {
    const { client, informer, stop, settle } = world();
    const handler = recorder();
    const inStore: (string | undefined)[] = [];
    informer.addHandler(handler);
    informer.addHandler({ onAdd: (object) => void inStore.push(informer.store.get(`default/${object.metadata.name}`)?.metadata.name) });
    informer.start(stop.signal);
    const watch = streamed("5");
    client.answer(watch);
    watch.send(added(configMap("a", 6)), modified(configMap("a", 7)), modified(configMap("a", 7)), deleted(configMap("x", 8)));
    await settle();
    watch.send(deleted(configMap("a", 9)));
    await settle();
    expect(handler.told).toEqual(["+a@6", "~a@6>7", "-a@9"]);
    expect(inStore).toEqual(["a"]);
  });

  test("after 410 a new list brings tombstones first, then what changed, and nothing about what did not", async () => {
    const { client, clock, informer, stop } = world();
    const [never, sometimes] = [recorder(), recorder()];
    informer.addHandler(never);
    informer.addHandler(sometimes, { resyncMs: 600_000 });
    informer.addIndex("data", (object) => Object.values(object.data ?? {}));
    informer.start(stop.signal);
    const watch = streamed("5", "a", "b", "c");
    const next = new ScriptedWatch();
    client.answer(watch, next);
    watch.send(expired);
    next.send(added(configMap("d", 6)), added(configMap("b", 7, { k: "v" })));
    await clock.advance(800);
    expect(informer.store.list().map((object) => object.metadata.name)).toEqual(["a", "b", "c"]);
    const kept = informer.store.get("default/c");
    next.send(added(configMap("c", 1)), initialEnd("9"));
    await clock.advance(0);
    const told = ["+a@1i", "+b@1i", "+c@1i", "-a@1?", "+d@6", "~b@1>7"];
    expect([never.told, sometimes.told]).toEqual([told, told]);
    expect(informer.store.get("default/c")).toBe(kept);
    expect(informer.store.byIndex("data", "v").map((object) => object.metadata.name)).toEqual(["b"]);
    expect(client.requests[1]?.options.resourceVersion).toBe("5");
  });

  test("an object created again under its name while the watch was interrupted is reported as deleted and added", async () => {
    const { client, clock, informer, stop } = world();
    const handler = recorder();
    informer.addHandler(handler);
    informer.start(stop.signal);
    const watch = streamed("5", "a");
    const next = new ScriptedWatch();
    client.answer(watch, next);
    watch.send(expired);
    const anew = configMap("a", 7);
    next.send(added({ ...anew, metadata: { ...anew.metadata, uid: "another" } }), initialEnd("9"));
    await clock.advance(800);
    expect(handler.told).toEqual(["+a@1i", "-a@1?", "+a@7"]);
  });

  test("a list that comes when a handler's resync is due is its resync", async () => {
    const { client, clock, informer, stop } = world();
    const [due, other] = [recorder(), recorder()];
    informer.addHandler(due, { resyncMs: 3_000 });
    informer.addHandler(other, { resyncMs: 2_000 });
    informer.start(stop.signal);
    const watch = streamed("5", "a");
    client.answer(watch, streamed("9", "a"));
    await clock.advance(2_500);
    watch.send(expired);
    await clock.advance(800);
    expect(due.told).toEqual(["+a@1i", "~a@1>1"]);
    expect(other.told).toEqual(["+a@1i", "~a@1>1"]);
    await clock.advance(1_500);
    expect([due.told.length, other.told.length]).toEqual([2, 3]);
  });
});

describe("resync", () => {
  test("goes only to handlers that asked for it", async () => {
    const { client, clock, informer, stop } = world();
    const [every, never] = [recorder(), recorder()];
    informer.addHandler(every, { resyncMs: 1_000 });
    informer.addHandler(never, { resyncMs: 0 });
    informer.start(stop.signal);
    client.answer(streamed("5", "a"));
    await clock.advance(2_000);
    expect(every.told).toEqual(["+a@1i", "~a@1>1", "~a@1>1"]);
    expect(never.told).toEqual(["+a@1i"]);
    expect(client.requests).toHaveLength(1);
  });

  test("counts from the first list", async () => {
    const { client, clock, informer, stop } = world();
    const handler = recorder();
    informer.addHandler(handler, { resyncMs: 4_000 });
    informer.addHandler({}, { resyncMs: 1_000 });
    informer.start(stop.signal);
    await clock.advance(3_000);
    client.answer(streamed("5", "a"));
    await clock.advance(3_900);
    expect(handler.told).toEqual(["+a@1i"]);
    await clock.advance(100);
    expect(handler.told).toEqual(["+a@1i", "~a@1>1"]);
  });

  test.each([
    ["less than a second means a second", [100], undefined, 1_000],
    ["a later handler cannot be more frequent than the first ones", [4_000], 1_000, 4_000],
    ["a later handler may be the first to ask", [0], 2_000, 2_000],
  ])("%s", async (_, before, after, expected) => {
    const { client, clock, informer, stop } = world();
    const handler = recorder();
    for (const resyncMs of before) informer.addHandler(after === undefined ? handler : {}, { resyncMs });
    informer.start(stop.signal);
    client.answer(streamed("5", "a"));
    await clock.advance(0);
    if (after !== undefined) informer.addHandler(handler, { resyncMs: after });
    await clock.advance(expected - 20);
    expect(handler.told).toEqual(["+a@1i"]);
    await clock.advance(20);
    expect(handler.told).toEqual(["+a@1i", "~a@1>1"]);
  });
});

describe("handlers", () => {
  test("one that joins late is called for every existing object, and for a deletion meanwhile exactly once, after its add", async () => {
    const { client, informer, stop, settle } = world();
    informer.start(stop.signal);
    const watch = streamed("5", "a", "b");
    client.answer(watch);
    await settle();
    const handler = recorder();
    const registration = informer.addHandler(handler);
    watch.send(deleted(configMap("a", 6)), added(configMap("c", 7)));
    await settle();
    expect(handler.told).toEqual(["+a@1i", "+b@1i", "-a@6", "+c@7"]);
    expect(registration.hasSynced()).toBe(true);
  });

  test("a slow one and a throwing one delay no other, and get every call in the end", async () => {
    const { client, informer, stop, settle, errors, log } = world();
    const gate = Promise.withResolvers<void>();
    const [slow, other] = [recorder(), recorder()];
    informer.addHandler({ ...slow, onAdd: async (object, info) => gate.promise.then(() => slow.onAdd?.(object, info)) });
    informer.addHandler(
      {
        onAdd: () => {
          throw new Error("bad add");
        },
        onDelete: async () => {
          throw new Error("bad delete");
        },
      },
      { name: "clumsy" },
    );
    informer.addHandler(other);
    informer.start(stop.signal);
    const watch = streamed("5", "a");
    client.answer(watch);
    watch.send(deleted(configMap("a", 6)));
    await settle();
    expect([slow.told, other.told]).toEqual([[], ["+a@1i", "-a@6"]]);
    expect(errors).toEqual(["handler clumsy: Error: bad add", "handler clumsy: Error: bad delete"]);
    expect(log.lines.filter((line) => line.severity === "error")).toHaveLength(2);
    gate.resolve();
    await settle();
    expect(slow.told).toEqual(["+a@1i", "-a@6"]);
  });

  test("each runs in the context of whoever added it", async () => {
    const { client, informer, stop, settle } = world();
    const component = new AsyncLocalStorage<string>();
    const told: unknown[] = [];
    const handler: Handler<Seen> = {
      async onAdd() {
        await null;
        told.push(component.getStore());
      },
    };
    for (const name of ["attacher", "resizer"]) component.run(name, () => informer.addHandler(handler));
    component.run("host", () => informer.start(stop.signal));
    const watch = streamed("5", "a");
    client.answer(watch);
    await settle();
    watch.send(added(configMap("b", 6)));
    await settle();
    expect(told).toEqual(["attacher", "resizer", "attacher", "resizer"]);
  });

  test("one that was removed gets no more calls", async () => {
    const { client, informer, stop, settle } = world();
    const handler = recorder();
    const registration = informer.addHandler(handler);
    informer.start(stop.signal);
    const watch = streamed("5", "a");
    client.answer(watch);
    await settle();
    registration.remove();
    watch.send(added(configMap("b", 6)));
    await settle();
    expect(handler.told).toEqual(["+a@1i"]);
  });

  test("one that removes itself gets no more calls, not even for pending notifications", async () => {
    const { client, informer, stop, settle } = world();
    const told: string[] = [];
    const registration = informer.addHandler({
      onAdd(object) {
        told.push(object.metadata.name);
        registration.remove();
      },
    });
    informer.start(stop.signal);
    client.answer(streamed("5", "a", "b"));
    await settle();
    expect(told).toEqual(["a"]);
    await expect(registration.waitForSync()).rejects.toThrow("removed before it had synced");
  });

  test("a change that meets a request to list again is still reported, but not to handlers that wait for that list", async () => {
    const { client, informer, stop, settle } = world();
    const [early, late] = [recorder(), recorder()];
    informer.addHandler(early);
    informer.addIndex("meddling", (object) => {
      if (object.metadata.name === "b" && !late.told.length) informer.addHandler(late, { after: informer.relist() });
      return [];
    });
    informer.start(stop.signal);
    const watch = streamed("5", "a");
    client.answer(watch);
    watch.send(added(configMap("b", 6)));
    await settle();
    expect([early.told, late.told]).toEqual([["+a@1i", "+b@6"], []]);
    const next = new ScriptedWatch();
    next.send(added(configMap("a", 1)), added(configMap("b", 6)), initialEnd("7"));
    client.answer(next);
    await settle();
    expect(early.told).toEqual(["+a@1i", "+b@6"]);
    expect(late.told).toEqual(["+a@1i", "+b@6i"]);
  });

  test("an index function that throws is reported and finds nothing", async () => {
    const { client, informer, stop, settle, errors } = world();
    informer.addIndex("broken", () => {
      throw new Error("no");
    });
    informer.start(stop.signal);
    client.answer(streamed("5", "a"));
    await settle();
    expect(errors).toEqual(["index broken: Error: no"]);
    expect([informer.store.byIndex("broken", "a"), informer.store.list().length]).toEqual([[], 1]);
    expect(() => informer.store.byIndex("other", "a")).toThrow('there is no index "other"');
  });
});

describe("start and stop", () => {
  test("an informer starts once, and accepts no handler after its stop", async () => {
    const { client, clock, informer, stop, settle } = world();
    const registration = informer.addHandler(recorder());
    informer.start(stop.signal);
    expect(() => informer.start(stop.signal)).toThrow("already started");
    const waiting = Promise.allSettled([informer.waitForSync(), registration.waitForSync()]);
    stop.abort();
    expect((await waiting).map((wait) => wait.status)).toEqual(["rejected", "rejected"]);
    await expect(informer.waitForSync()).rejects.toThrow("stopped before it had synced");
    expect(() => informer.addHandler({})).toThrow("has stopped");
    expect(() => informer.addIndex("name", () => [])).toThrow("has stopped");
    expect(() => informer.relist()).toThrow("has stopped");
    await settle();
    expect([clock.waiting, client.requests.length, informer.status().state]).toEqual([0, 1, "stopped"]);
  });

  test("after the stop there is no resync, and pending notifications are dropped", async () => {
    const { client, clock, informer, stop, settle } = world();
    const handler = recorder();
    informer.addHandler(handler, { resyncMs: 1_000 });
    const held = Promise.withResolvers<void>();
    const slow: string[] = [];
    const onAdd = (object: Seen) => {
      slow.push(object.metadata.name);
      return held.promise;
    };
    informer.addHandler({ onAdd });
    informer.start(stop.signal);
    client.answer(streamed("5", "a", "b"));
    await settle();
    stop.abort();
    held.resolve();
    await clock.advance(5_000);
    expect([handler.told, slow, clock.waiting]).toEqual([["+a@1i", "+b@1i"], ["a"], 0]);
  });

  test("events that end with an error are logged and shown in the status, and requested again after a pause", async () => {
    const clock = new FakeClock();
    const log = recordingLogger(0);
    const stop = new AbortController();
    stops.push(stop);
    const opened: number[] = [];
    const informer = new SharedInformer<Seen>({
      ...{ name: "configmaps", clock, log, random: () => 0 },
      async *events() {
        opened.push(clock.monotonic());
        if (opened.length === 1) throw new Error("bug");
        yield { type: "Init" } as const;
        yield { type: "InitDone", resourceVersion: "5" } as const;
        await new Promise(() => undefined);
      },
    });
    informer.start(stop.signal);
    await clock.advance(0);
    expect([informer.hasSynced(), informer.status().failing?.error.message]).toEqual([false, "bug"]);
    await clock.advance(800);
    expect([informer.hasSynced(), opened, log.lines.map(({ message }) => message)]).toEqual([
      true,
      [0, 800],
      ["Informer failed, will list again"],
    ]);
  });

  test("waiting can be aborted", async () => {
    const { informer } = world();
    await expect(informer.waitForSync(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });

  test("the status says what fails, since when, until a watch is open again", async () => {
    const { client, clock, informer, stop } = world();
    informer.start(stop.signal);
    client.answer(...[1, 2].flatMap(() => [new Error("no streams"), new Error("no lists")]));
    await clock.advance(800);
    const { failing, state } = informer.status();
    expect([state, failing?.error.message, failing?.since]).toEqual(["syncing", "list of configmaps: no lists", clock.now() - 800]);
    client.answer(streamed("5"));
    await clock.advance(1_600);
    expect(informer.status()).toEqual({ state: "synced", since: clock.now(), objects: 0, resourceVersion: "5" });
  });
});
