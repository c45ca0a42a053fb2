import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { type CreatedContent, LateContents, lateness } from "./late-contents.ts";

test("snapshots are forgotten after ten minutes, and the oldest of very many", async () => {
  const clock = new FakeClock();
  const late = new LateContents(clock);
  late.expect("old");
  await clock.advance(600_000);
  late.expect("young");
  expect([late.isExpected("old"), late.isExpected("young"), late.isExpected("other")]).toEqual([false, true, false]);
  for (let i = 0; i < 10_000; i++) late.expect(`uid-${i}`);
  expect([late.isExpected("young"), late.isExpected("uid-0")]).toEqual([false, true]);
});

const created = { metadata: {}, spec: { deletionPolicy: "Delete" }, ownerUid: "a", hasOwner: true };
const gone = { ...created, hasOwner: false };

test.each<[string, CreatedContent, ReturnType<typeof lateness>]>([
  ["its snapshot is there", created, "in time"],
  ["its snapshot is not known", gone, "unknown"],
  ["its snapshot is not known, and it is of a group", { ...gone, isOfGroup: true }, "in time"],
  ["its snapshot went without it", { ...gone, ownerUid: "gone" }, "late"],
  ["its snapshot went without it, and it is of a group", { ...gone, ownerUid: "gone", isOfGroup: true }, "late"],
  ["nobody is known to have deleted its snapshot", { ...gone, ownerUid: "lost" }, "in time"],
  ["it is retained", { ...gone, ownerUid: "gone", spec: { deletionPolicy: "Retain" } }, "in time"],
  ["it is being deleted", { ...gone, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }, "in time"],
  ["its user has made it", { ...gone, ownerUid: undefined }, "in time"],
])("a content is late or not: %s", (_, content, expected) => {
  expect(lateness(content, { isExpected: (uid) => uid === "gone", isSpared: (uid) => uid === "lost" })).toBe(expected);
});
