import { expect, test } from "bun:test";
import { orphans } from "./orphans.ts";

const outages = [{ from: 10_000, to: 15_000 }];
const at = (ms: number) => new Date(performance.timeOrigin + ms).toISOString();
const [during, before] = [
  { name: "late", creationTimestamp: at(12_000) },
  { name: "early", creationTimestamp: at(1_000) },
];
const single = (uid: string) => ({
  deletionPolicy: "Delete" as const,
  driver: "d",
  source: { volumeHandle: "v" },
  volumeSnapshotRef: { uid },
});
const group = (uid: string) => ({
  deletionPolicy: "Delete" as const,
  driver: "d",
  source: { volumeHandles: ["v"] },
  volumeGroupSnapshotRef: { uid },
});

test.each([
  ["of a snapshot that exists", { metadata: before, spec: single("known") }, false],
  ["of one that is gone", { metadata: before, spec: single("gone") }, true],
  ["of one that is gone, retained", { metadata: before, spec: { ...single("gone"), deletionPolicy: "Retain" as const } }, false],
  ["of a group snapshot that exists", { metadata: before, spec: group("known") }, false],
  ["of a group snapshot that is gone", { metadata: before, spec: group("gone") }, true],
  ["created during an outage", { metadata: during, spec: single("gone") }, true],
  ["created during an outage, and taken", { metadata: during, spec: single("gone"), status: { snapshotHandle: "s" } }, false],
  ["created before it, and taken", { metadata: before, spec: single("gone"), status: { snapshotHandle: "s" } }, true],
  [
    "created during an outage, and taken as a group",
    { metadata: during, spec: group("gone"), status: { volumeGroupSnapshotHandle: "g" } },
    false,
  ],
])("a content %s is an orphan or not", (_, content, expected) => {
  expect(orphans([content], new Set(["known"]), outages).length > 0).toBe(expected);
});
