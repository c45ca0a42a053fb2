import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import type { Content } from "../fields.ts";
import { LateContents } from "./late-contents.ts";

const content = (name: string, uid: string, source: object = { volumeHandle: "volume" }) =>
  ({ metadata: { name }, spec: { source, volumeSnapshotRef: { uid } } }) as Content;

test("late is a content that was created for a snapshot that went without one", () => {
  const late = new LateContents(new FakeClock());
  late.expect("a");
  expect(late.isLate(content("snapcontent-a", "a"))).toBe(true);
  expect(late.isLate(content("snapcontent-b", "b"))).toBe(false);
  expect(late.isLate(content("mine", "a"))).toBe(false);
  expect(late.isLate(content("snapcontent-a", "a", { snapshotHandle: "kept" }))).toBe(false);
});

test("snapshots are forgotten after ten minutes, and the oldest of very many", async () => {
  const clock = new FakeClock();
  const late = new LateContents(clock);
  late.expect("old");
  await clock.advance(600_000);
  late.expect("young");
  expect([late.isLate(content("snapcontent-old", "old")), late.isLate(content("snapcontent-young", "young"))]).toEqual([false, true]);
  for (let i = 0; i < 10_000; i++) late.expect(`uid-${i}`);
  expect(late.isLate(content("snapcontent-young", "young"))).toBe(false);
  expect(late.isLate(content("snapcontent-uid-0", "uid-0"))).toBe(true);
});
