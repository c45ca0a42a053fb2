import { describe, expect, test } from "bun:test";
import { eventRevision, eventType } from "./history.ts";
import { Store } from "./store.ts";

const object = (name: string, extra: object = {}) => ({ apiVersion: "v1", kind: "Thing", metadata: { name }, ...extra });
const names = (revisions: Iterable<{ readonly key: string }>) => [...revisions].map(({ key }) => key);

describe("Store", () => {
  test("every write is one step of one counter over all tables", () => {
    const store = new Store();
    const a = store.put(store.table("as"), "x", object("x"));
    const b = store.put(store.table("bs"), "x", object("x"));
    store.remove(store.table("as"), "x");
    expect([a.version, b.version, store.version]).toEqual([2, 3, 4]);
    expect(b.object).toEqual({ metadata: { name: "x", resourceVersion: "3" } });
  });

  test("a table shows any state whose history is kept, in the order of keys", () => {
    const store = new Store();
    const table = store.table("things");
    store.put(table, "ns/b", object("b"));
    store.put(table, "ns/a", object("a"));
    const before = store.version;
    store.remove(table, "ns/b");
    store.put(table, "other/c", object("c"));
    store.put(table, "ns/a", object("a", { changed: true }));
    expect(names(table.asOf(before))).toEqual(["ns/a", "ns/b"]);
    expect(table.asOf(before)[0]?.object.changed).toBeUndefined();
    expect(names(table.values("ns"))).toEqual(["ns/a"]);
    expect(table.count("other")).toBe(1);
  });

  test.each([
    ["no selection by which it was or is meant", undefined, undefined, false, false, undefined],
    ["created", undefined, 2, false, true, "ADDED"],
    ["changed", 1, 2, true, true, "MODIFIED"],
    ["begins to match", 1, 2, false, true, "ADDED"],
    ["no longer matches", 1, 2, true, false, "DELETED"],
    ["removed", 1, undefined, true, false, "DELETED"],
    ["removed, never matched", 1, undefined, false, false, undefined],
  ] as const)("a change seen through a selection: %s", (_, before, after, matchedBefore, matchesNow, expected) => {
    const store = new Store();
    const table = store.table("things");
    const previous = before && store.put(table, "x", object("x"));
    const current = after && store.put(table, "x", object("x"));
    const change = { version: 9, key: "x", previous: previous || undefined, current: current || undefined, encoded: new Map() };
    const type = eventType(change, (revision) => (revision === previous ? matchedBefore : matchesNow));
    expect(type).toBe(expected);
    if (type === "DELETED") expect(eventRevision(change, type)?.object).toMatchObject({ metadata: { resourceVersion: "9" } });
  });

  test("what falls out of the window raises the floor of that table alone", () => {
    const store = new Store({ window: 3 });
    const busy = store.table("busy");
    for (let i = 0; i < 10; i++) store.put(busy, "x", object("x", { i }));
    store.put(store.table("quiet"), "x", object("x"));
    expect(busy.floor).toBe(store.version - 4);
    expect(busy.since(busy.floor)).toHaveLength(3);
    expect(store.table("quiet").floor).toBe(0);
  });

  test("compaction forgets all history, also for tables that do not exist yet", () => {
    const store = new Store();
    store.put(store.table("things"), "x", object("x"));
    store.compact();
    expect(store.table("things").floor).toBe(store.version);
    expect(store.table("later").floor).toBe(store.version);
    expect(store.table("things").since(0)).toEqual([]);
  });
});
