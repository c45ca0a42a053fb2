import type { Logger } from "@csi-sidecars/base";
import { claimsOf, ownsClaim } from "@csi-sidecars/controller";
import { type Key, refKey, type View } from "@csi-sidecars/kube";
import { claimOf } from "../claim-of.ts";
import type { OwnedClaim, Pod, Volume } from "../fields.ts";

/** The caches that lead from a node to claims, with their indexes. */
export interface NodeCaches {
  readonly driver: { readonly name: string };
  readonly pods: View<Pod>;
  readonly volumes: View<Volume>;
  readonly claims: View<OwnedClaim>;
  readonly log: Logger;
}

const byNode = "node";
const byClaim = "claim";

/** Finds the pods of a node that use claims. */
export function indexByNode(pods: View<Pod>): void {
  pods.addIndex(byNode, (pod) => (pod.spec?.nodeName && claimsOf(pod).length > 0 ? [pod.spec.nodeName] : []));
}

/** Finds the volume of a claim among those of the driver. */
export function indexByClaim(volumes: View<Volume>, driver: string): void {
  volumes.addIndex(byClaim, ({ spec, status }) => {
    const { csi, claimRef } = spec ?? {};
    if (csi?.driver !== driver || status?.phase !== "Bound" || !claimRef?.namespace || !claimRef.name) return [];
    return [refKey({ namespace: claimRef.namespace, name: claimRef.name })];
  });
}

/** A claim with a volume of the driver, and its pods on a node by name. */
export interface ClaimOnNode {
  readonly claim: OwnedClaim;
  readonly pods: readonly string[];
}

/** The claims with volumes of the driver that pods on a node use. Goes from the pods to their volumes: no list is searched. */
export function claimsOn(node: string, c: NodeCaches): readonly ClaimOnNode[] {
  const found = new Map<Key, { readonly claim: OwnedClaim; readonly pods: string[] } | undefined>();
  const pods = c.pods.byIndex(byNode, node).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  for (const pod of pods) {
    for (const { key, ephemeral } of claimsOf(pod)) {
      if (!found.has(key)) found.set(key, claimAt(key, c));
      const used = found.get(key);
      if (!used || (ephemeral && !ownsClaim(pod, used.claim)) || used.pods.at(-1) === pod.metadata.name) continue;
      used.pods.push(pod.metadata.name);
    }
  }
  return [...found.values()].filter((used) => used !== undefined && used.pods.length > 0) as ClaimOnNode[];
}

function claimAt(key: Key, c: NodeCaches): { readonly claim: OwnedClaim; readonly pods: string[] } | undefined {
  for (const volume of c.volumes.byIndex(byClaim, key)) {
    const claim = claimOf(volume, c.driver.name, c.claims);
    if (claim) return { claim, pods: [] };
    c.log.info("The claim of a volume is missing", { PV: volume.metadata.name, PVC: key });
  }
  return undefined;
}
