import { expect, test } from "bun:test";
import type { KubeObject } from "@csi-sidecars/kube";
import { AssumeCache, isLaterVersion } from "./assume-cache.ts";

interface Thing {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string; readonly deletionTimestamp?: string };
}
const at = (version: number, uid = "u"): Thing => ({ metadata: { name: "x", uid, resourceVersion: String(version) } });

function world() {
  const cache = new Map<string, Thing>([["x", at(1)]]);
  let watched = 1;
  const own = new AssumeCache<Thing>(
    { get: (name) => cache.get(name), lastResourceVersion: () => String(watched) },
    (object) => object as Thing,
  );
  const news: string[] = [];
  const answers: ((object: KubeObject) => void)[] = [];
  return {
    own,
    news,
    version: () => own.get("x")?.metadata.resourceVersion,
    /** `replaces`: the only version that the server takes it for. */
    wrote: (object: Thing, replaces?: number) => own.write("x", async () => object, replaces?.toString()),
    created: (object: Thing) => own.create("x", async () => object),
    /** The watch has seen everything up to this version. */
    watchedUpTo(version: number) {
      watched = version;
    },
    /** A write that is answered later. */
    writing: () => {
      const written = own.write("x", () => new Promise((resolve) => answers.push(resolve)));
      return async (object: Thing) => {
        answers.shift()?.(object);
        await written;
      };
    },
    watch(object: Thing) {
      const old = cache.get("x");
      watched = Number(object.metadata.resourceVersion);
      cache.set("x", object);
      own.observe(old, object, () => news.push(object.metadata.resourceVersion));
    },
    gone() {
      cache.delete("x");
      own.deleted(at(1));
    },
  };
}

test("what was written is known before the watch shows it, and forgotten when it does", async () => {
  const { own, news, wrote, watch, version } = world();
  await wrote(at(5));
  expect(version()).toBe("5");
  watch(at(5));
  expect([version(), own.size, news]).toEqual(["5", 0, []]);
});

test("several writes in a row are all ours; others' between them are news", async () => {
  const { own, news, wrote, watch, version } = world();
  await wrote(at(5));
  await wrote(at(8));
  for (const each of [5, 6, 8]) watch(at(each));
  expect([version(), own.size, news]).toEqual(["8", 0, ["6"]]);
});

/* A list that replaces an interrupted watch shows all that happened since as one event. */
test.each<[string, [replaced: number, made: number][], shown: number[], news: string[]]>([
  ["our write", [[1, 5]], [5], []],
  ["two of our writes at once", [[1, 5], [5, 7]], [7], []], // biome-ignore format: a table
  ["ours with a change before it", [[3, 5]], [5], ["5"]],
  ["the same one by one", [[3, 5]], [3, 5], ["3"]],
  ["ours with a change in between", [[1, 5], [6, 7]], [7], ["7"]], // biome-ignore format: a table
  ["the last of ours with a change before it", [[1, 5], [6, 7]], [5, 7], ["7"]], // biome-ignore format: a table
  ["ours with a change after it", [[1, 5]], [6], ["6"]],
  ["a change that ours left as it was", [[5, 5]], [5], ["5"]],
])("one event shows %s", async (_, writes, shown, expected) => {
  const { own, news, wrote, watch } = world();
  for (const [replaced, made] of writes) await wrote(at(made), replaced);
  for (const each of shown) watch(at(each));
  expect([own.size, news]).toEqual([0, expected]);
});

test("a deletion is news, whatever shows it", async () => {
  const { news, wrote, watch } = world();
  const deleted = (version: number) => ({ metadata: { ...at(version).metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
  await wrote(deleted(5));
  await wrote(deleted(7));
  for (const each of [5, 7]) watch(deleted(each));
  expect(news).toEqual(["5"]);
});

test("an event that comes before the answer to the write that caused it is no news", async () => {
  const { own, news, writing, watch } = world();
  const answer = writing();
  watch(at(5));
  expect(news).toEqual([]);
  await answer(at(5));
  expect([own.size, news]).toEqual([0, []]);
});

test("an event of others during a write is news when the write is answered", async () => {
  const { news, writing, watch, version } = world();
  const answer = writing();
  watch(at(4));
  await answer(at(5));
  expect([news, version()]).toEqual([["4"], "5"]);
});

test("a failed write leaves nothing behind", async () => {
  const { own, news, watch } = world();
  await expect(own.write("x", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  watch(at(5));
  expect([own.size, news]).toEqual([0, ["5"]]);
});

test("an answer of the version that is known already is used: it lets go of a deleted object", async () => {
  const { own, wrote, gone } = world();
  const released = { metadata: { ...at(1).metadata, finalizers: [] } };
  await wrote(released);
  expect(own.get("x")).toEqual(released);
  gone();
  expect(own.size).toBe(0);
});

test("the end of a deleted object is not undone by events of before", async () => {
  const { own, writing, watch, gone } = world();
  const deleted = (version: number, finalizers: readonly string[]) => ({
    metadata: { ...at(version).metadata, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers },
  });
  const answer = writing();
  watch(deleted(3, ["ours", "theirs"]));
  watch(deleted(4, ["ours"]));
  await answer(deleted(4, []));
  expect(own.get("x")).toEqual(deleted(4, []));
  gone();
  expect([own.get("x"), own.size]).toEqual([undefined, 0]);
});

test("versions are compared as numbers", async () => {
  const { wrote, watch, version } = world();
  watch(at(99));
  await wrote(at(100));
  expect(version()).toBe("100");
});

test("nothing is kept of what is gone before the answer, or replaced by another of the same name", async () => {
  const { own, writing, gone, watch, version, wrote } = world();
  const answer = writing();
  gone();
  await answer(at(5));
  expect([own.size, version()]).toEqual([0, undefined]);
  watch(at(7, "other"));
  await wrote(at(9));
  expect([own.size, version()]).toEqual([0, "7"]);
});

test("an object that took the name of another hides what was written to that one, whatever its version", async () => {
  const { own, watch, version, wrote } = world();
  await wrote(at(9));
  watch(at(7, "other"));
  expect([own.size, version()]).toEqual([0, "7"]);
});

test.each<[string, string, boolean]>([
  ["2", "1", true],
  ["1", "1", false],
  ["1", "2", false],
  ["10", "9", true],
  ["9", "10", false],
  ["18446744073709551615", "18446744073709551614", true],
])("version %s comes after %s: %s", (version, other, later) => {
  expect(isLaterVersion(version, other)).toBe(later);
});

test("what was created exists before the watch shows it, and its event is no news", async () => {
  const { own, news, created, wrote, watch, gone, version } = world();
  gone();
  await created(at(5, "new"));
  expect(version()).toBe("5");
  await wrote(at(6, "new"));
  expect(version()).toBe("6");
  watch(at(5, "new"));
  watch(at(6, "new"));
  expect([version(), news, own.size]).toEqual(["6", [], 0]);
});

test("what was created is gone if the watch has passed it without showing it", async () => {
  const { own, created, watchedUpTo, gone, version } = world();
  gone();
  await created(at(5, "new"));
  watchedUpTo(9);
  expect([version(), own.size]).toEqual([undefined, 0]);
  await created(at(7, "deleted before the answer"));
  expect([version(), own.size]).toEqual([undefined, 0]);
});
