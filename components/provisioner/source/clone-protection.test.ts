import { expect, test } from "bun:test";
import { silentLogger } from "@csi-sidecars/base";
import { done, retry } from "@csi-sidecars/controller";
import type { V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import { finalizer } from "../names.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { able, cachedClaim, emptyState } from "../testing/cached.ts";
import { reconcileCloneSource } from "./clone-protection.ts";

const finalizers = [finalizer.cloneSource, "other"];
const deleted = cachedClaim({ metadata: { finalizers, deletionTimestamp: "2026-01-01T00:00:00Z" } });

/** Reconciles a deleted clone source that the API server has with `uid`. */
async function reconciled({ uid = "claim-uid", clones = [] }: { readonly uid?: string; readonly clones?: readonly Claim[] }) {
  const written: (readonly string[] | undefined)[] = [];
  const context = {
    driver: able,
    log: silentLogger,
    state: emptyState(),
    claims: { get: () => deleted },
    volumes: { get: () => undefined },
    claimsCloning: () => clones,
    kube: {
      get: async () => ({ metadata: { name: "data", namespace: "default", uid, finalizers } }),
      update: async (_: unknown, claim: V1PersistentVolumeClaim) => {
        written.push(claim.metadata?.finalizers);
        return claim;
      },
    },
  };
  const reconcile = reconcileCloneSource(context as never as ProvisionerContext);
  return { result: await reconcile("default/data", AbortSignal.timeout(10_000)), written };
}

test.each([
  ["without clones is released", {}, { result: done, written: [["other"]] }],
  ["with a clone waits, which is no failure", { clones: [cachedClaim()] }, { result: retry, written: [] }],
  ["that was replaced is left to itself", { uid: "other" }, { result: done, written: [] }],
])("a deleted clone source %s", async (_, given, expected) => {
  expect(await reconciled(given)).toEqual(expected as never);
});
