import { describe, expect, test } from "bun:test";
import { seededRandom } from "@csi-sidecars/base/testing";
import { StringTable } from "./string-table.ts";

describe("a string table", () => {
  test.each(["data", "42", "4294967295", "__proto__", "constructor", "toString", "", "größe"])("takes the key %p as any other", (key) => {
    const table = new StringTable<number>();
    expect([table.has(key), table.get(key), table.size]).toEqual([false, undefined, 0]);
    table.set(key, 1);
    table.set(key, 2);
    expect([table.has(key), table.get(key), table.size, table.values(), [...table]]).toEqual([true, 2, 1, [2], [[key, 2]]]);
    table.delete(key);
    table.delete(key);
    expect([table.has(key), table.size, [...table]]).toEqual([false, 0, []]);
  });

  test("holds what a Map would hold, whatever is done to it", () => {
    const random = seededRandom(7);
    const table = new StringTable<number>();
    const model = new Map<string, number>();
    for (let step = 0; step < 20_000; step++) {
      const key = `key-${Math.floor(random() * 3_000)}`;
      if (random() < 0.4) {
        table.delete(key);
        model.delete(key);
      } else {
        table.set(key, step);
        model.set(key, step);
      }
    }
    expect(table.size).toBe(model.size);
    expect(new Map(table)).toEqual(model);
    expect(table.values().sort()).toEqual([...model.values()].sort());
    table.clear();
    expect([table.size, table.values()]).toEqual([0, []]);
  });

  test("can be changed while it is walked through", () => {
    const table = new StringTable<number>();
    for (let i = 0; i < 100; i++) table.set(`key-${i}`, i);
    for (const [key] of table) {
      table.delete(key);
      table.delete("key-50");
    }
    expect(table.size).toBe(0);
  });
});
