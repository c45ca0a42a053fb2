import { expect, test } from "bun:test";
import type { Client, V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { finalizer } from "../names.ts";
import { cachedClaim } from "../testing/cached.ts";
import { addInProgressFinalizer } from "./in-progress-finalizer.ts";

const finalized = cachedClaim({ metadata: { finalizers: [finalizer.inProgress] } });
const deletionTimestamp = "2026-01-01T00:00:00Z";

/** The answer, and what was written, where the API server has the claim like this. */
async function adding(cached: typeof finalized, metadata: Partial<V1PersistentVolumeClaim["metadata"]>) {
  const written: (readonly string[] | undefined)[] = [];
  const client = {
    get: async () => ({ metadata: { name: "data", namespace: "default", uid: "claim-uid", ...metadata } }),
    update: async (_: unknown, claim: V1PersistentVolumeClaim) => {
      written.push(claim.metadata?.finalizers);
      return claim;
    },
  };
  return { has: await addInProgressFinalizer(client as never as Client, cached, {}), written };
}

test.each([
  ["is new", cachedClaim(), {}, true, [[finalizer.inProgress]]],
  ["has the finalizer", finalized, { finalizers: [finalizer.inProgress] }, true, []],
  ["lost the finalizer unseen", finalized, {}, true, [[finalizer.inProgress]]],
  ["lost the finalizer unseen, and goes", finalized, { deletionTimestamp, finalizers: ["other"] }, false, []],
  ["goes with the finalizer", finalized, { deletionTimestamp, finalizers: [finalizer.inProgress] }, true, []],
  ["goes", cachedClaim(), { deletionTimestamp, finalizers: ["other"] }, false, []],
  ["was replaced", finalized, { uid: "other", finalizers: [finalizer.inProgress] }, false, []],
] as const)("a claim that %s", async (_, cached, metadata, has, written) => {
  expect(await adding(cached, metadata as never)).toEqual({ has, written: written as never });
});
