import { expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import type { V1VolumeSnapshotContent } from "@csi-sidecars/kube";
import { contentFields } from "../fields.ts";
import { LateContents } from "../late-contents.ts";
import { cached, existingContent } from "../testing/objects.ts";
import { planContent, reconcileContent } from "./reconcile-content.ts";

type Source = NonNullable<V1VolumeSnapshotContent["spec"]>["source"];

const finalizer = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection";
const bound = { volumeSnapshotRef: { namespace: "default", name: "backup", uid: "u" } };
const look = { snapshots: { get: () => undefined }, lateContents: new LateContents(systemClock) };
const content = (parts: Parameters<typeof existingContent>[0]) => cached(contentFields, existingContent(parts));

test.each<[string, Parameters<typeof existingContent>[0], ReturnType<typeof planContent>]>([
  ["is not bound", {}, "none"],
  ["is bound by its user", { spec: bound }, "addFinalizer"],
  ["is protected", { spec: bound, metadata: { finalizers: [finalizer] } }, "none"],
  ["is bound and being deleted", { spec: bound, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }, "none"],
  ["names no source", { spec: { source: {} } }, "invalid"],
  ["names two sources", { spec: { ...bound, source: { volumeHandle: "v", snapshotHandle: "s" } } }, "invalid"],
])("a content that %s", (_, parts, plan) => {
  expect(planContent(content(parts), look)).toBe(plan);
});

// The API server refuses such contents, with definitions that have the rule.
test.each<[string, Source]>([
  ["no source", {}],
  ["two sources", { volumeHandle: "v", snapshotHandle: "s" }],
])("a content that names %s is told of", async (_, source) => {
  const existing = content({ spec: { source } });
  const told: string[] = [];
  const contentEvents = { warning: (_content: unknown, reason: string, message: string) => told.push(`${reason}: ${message}`) };
  const context = { ...look, contents: new Map([["existing", existing]]), contentEvents };
  await reconcileContent(context as never)("existing", new AbortController().signal);
  expect(told).toEqual(["ContentValidationError: Exactly one of VolumeHandle and SnapshotHandle should be specified"]);
});
