import { expect, test } from "bun:test";
import type { Client, V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { finalizer } from "../names.ts";
import { cachedClaim } from "../testing/cached.ts";
import { addInProgressFinalizer } from "./in-progress-finalizer.ts";

const marked = cachedClaim({ metadata: { finalizers: [finalizer.inProgress] } });
const deletionTimestamp = "2026-01-01T00:00:00Z";

/** The answer, and what was written, where the API server has the claim like this. */
async function marking(cached: typeof marked, metadata: Partial<V1PersistentVolumeClaim["metadata"]>) {
  const written: (readonly string[] | undefined)[] = [];
  const client = {
    get: async () => ({ metadata: { name: "data", namespace: "default", uid: "claim-uid", ...metadata } }),
    update: async (_: unknown, claim: V1PersistentVolumeClaim) => {
      written.push(claim.metadata?.finalizers);
      return claim;
    },
  };
  return { isMarked: await addInProgressFinalizer(client as never as Client, cached, {}), written };
}

test.each([
  ["is new", cachedClaim(), {}, true, [[finalizer.inProgress]]],
  ["has the mark", marked, { finalizers: [finalizer.inProgress] }, true, []],
  ["lost its mark unseen", marked, {}, true, [[finalizer.inProgress]]],
  ["lost its mark unseen, and goes", marked, { deletionTimestamp, finalizers: ["other"] }, false, []],
  ["goes with its mark", marked, { deletionTimestamp, finalizers: [finalizer.inProgress] }, true, []],
  ["goes", cachedClaim(), { deletionTimestamp, finalizers: ["other"] }, false, []],
  ["was replaced", marked, { uid: "other", finalizers: [finalizer.inProgress] }, false, []],
] as const)("a claim that %s", async (_, cached, metadata, isMarked, written) => {
  expect(await marking(cached, metadata as never)).toEqual({ isMarked, written: written as never });
});
