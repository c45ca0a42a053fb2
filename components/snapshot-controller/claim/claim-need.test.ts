import { expect, test } from "bun:test";
import { snapshotAnnotation, snapshotFinalizer } from "@csi-sidecars/kube";
import { claimFields, contentFields, snapshotFields } from "../fields.ts";
import { type ContentParts, cached, claimOf, contentOf, type SnapshotParts, snapshotOf } from "../testing/objects.ts";
import { claimNeededForMs } from "./claim-need.ts";

const deletedAt = "2026-01-01T00:00:00Z";
const minutes = (after: number) => Date.parse(deletedAt) + after * 60_000;

interface Given {
  readonly snapshot?: SnapshotParts;
  readonly content?: ContentParts | "none";
  readonly claimDeleted?: boolean;
  readonly now?: number;
}

function need({ snapshot = {}, content = {}, claimDeleted = false, now = minutes(0) }: Given): number {
  const claim = cached(claimFields, claimOf(claimDeleted ? { metadata: { deletionTimestamp: deletedAt } } : {}));
  const found = content === "none" ? undefined : cached(contentFields, contentOf(content));
  return claimNeededForMs(cached(snapshotFields, snapshotOf(snapshot)), found, claim, now);
}

const error = { message: "invalid parameter", time: deletedAt };
const working = { metadata: { annotations: { [snapshotAnnotation.beingCreated]: "yes" } } };
const forEver = Number.POSITIVE_INFINITY;

test.each<[string, Given, number]>([
  ["from when its content exists", {}, forEver],
  ["until it is ready", { snapshot: { status: { readyToUse: true } } }, 0],
  [
    "while the driver has only begun",
    { content: { status: { readyToUse: false, snapshotHandle: "s", error } }, claimDeleted: true },
    forEver,
  ],
  ["not without a content, whatever it waits for", { content: "none" }, 0],
  ["not if its content is another one's", { content: { snapshotUid: "other", name: "snapcontent-uid-of-backup" } }, 0],
  [
    "also while its deletion is held up",
    { snapshot: { metadata: { deletionTimestamp: deletedAt, finalizers: [snapshotFinalizer.asSource] } } },
    forEver,
  ],
  ["not when it may go", { snapshot: { metadata: { deletionTimestamp: deletedAt, finalizers: [snapshotFinalizer.bound] } } }, 0],
  ["also if it failed: the driver is called again", { content: { status: { error } } }, forEver],
  [
    "if the claim is deleted, for five minutes after a failure",
    { content: { status: { error } }, claimDeleted: true, now: minutes(2) },
    180_000,
  ],
  ["and no longer", { content: { status: { error } }, claimDeleted: true, now: minutes(5) }, 0],
  ["but as long as an attempt is running", { content: { ...working, status: { error } }, claimDeleted: true, now: minutes(60) }, forEver],
  ["and as long as none has failed", { claimDeleted: true, now: minutes(60) }, forEver],
])("a snapshot needs its claim %s", (_, given, ms) => {
  expect(need(given)).toBe(ms);
});
