import { expect, test } from "bun:test";
import type { Cached } from "../fields/fields.ts";
import type { WatcherEvent } from "../watcher/watcher-event.ts";
import { Store } from "./store.ts";

const object = (name: string, version = "1", namespace?: string): Cached => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion: version, ...(namespace && { namespace }) },
});
const init: WatcherEvent<Cached> = { type: "Init" };
const listed = (name: string, version?: string): WatcherEvent<Cached> => ({ type: "InitApply", object: object(name, version) });
const done: WatcherEvent<Cached> = { type: "InitDone", resourceVersion: "9" };
const gone = (name: string): WatcherEvent<Cached> => ({ type: "Delete", object: object(name, "8") });

test.each<[string, WatcherEvent<Cached>[], string[]]>([
  ["a list that is not complete shows nothing", [init, listed("a")], []],
  ["a complete list shows itself", [init, listed("a"), done], ["a@1"]],
  ["what went away while listing is not there", [init, listed("a"), listed("b"), gone("a"), done], ["b@1"]],
  ["the same for a later list", [init, listed("a"), done, init, listed("a"), listed("b"), gone("a"), done], ["b@1"]],
  ["a list that starts over forgets its first attempt", [init, listed("a"), init, listed("b"), done], ["b@1"]],
  ["the same for a later list", [init, listed("a"), done, init, listed("b"), init, listed("c"), done], ["c@1"]],
  ["until a later list is complete the old one is shown", [init, listed("a"), done, init, listed("b")], ["a@1"]],
  ["an object may be listed twice", [init, listed("a"), listed("a", "2"), done], ["a@2"]],
])("%s", (_, events, expected) => {
  const store = new Store<Cached>();
  for (const event of events) store.apply(event);
  expect(store.list().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)).toEqual(expected);
  expect(store.size).toBe(expected.length);
});

test("tracks the resource version of every event that carries one", () => {
  const store = new Store<Cached>();
  const seen = [init, done, { type: "Apply", object: object("a", "10") }, { type: "Bookmark", resourceVersion: "11" }, gone("a")] as const;
  const versions = seen.map((event) => {
    store.apply(event);
    return store.resourceVersion;
  });
  expect(versions).toEqual(["", "9", "10", "11", "8"]);
});

test.each([
  ["before the first list", []],
  ["before a later list", [init, listed("a"), done]],
])("a list shares unchanged objects with the one before; not if other fields are expected, %s, and then again", (_, events) => {
  const store = new Store<Cached>();
  const relist = () => {
    const before = store.get("a");
    for (const event of [init, listed("a"), done]) store.apply(event);
    return store.get("a") === before;
  };
  for (const event of events) store.apply(event);
  store.expectOtherFields();
  expect([relist(), relist(), relist()]).toEqual([false, true, true]);
});

test("an index added late, values that move, and many objects under one value", () => {
  const store = new Store<Cached>();
  for (const event of [init, listed("a1"), listed("a2"), listed("b1"), done]) store.apply(event);
  store.addIndex("letter", ({ metadata }) => [metadata.name.slice(0, 1), metadata.resourceVersion]);
  const names = (value: string) => store.byIndex("letter", value).map(({ metadata }) => metadata.name);
  expect([names("a"), names("b"), names("c")]).toEqual([["a1", "a2"], ["b1"], []]);
  store.apply({ type: "Apply", object: object("a1", "2") });
  store.apply(gone("a2"));
  expect([names("a"), names("1"), names("2")]).toEqual([["a1"], ["b1"], ["a1"]]);
  expect(() => store.addIndex("letter", () => [])).toThrow('already an index "letter"');
  store.removeIndex("letter");
  expect(() => names("a")).toThrow("there is no index");
});
