import { type Key, refKey, storageClassName } from "@csi-sidecars/kube";
import { annotation } from "../annotations.ts";
import { belongsTo, bindsLate, claimsOfPod, ephemeralClaims, isTerminated } from "../claims.ts";
import type { Claim, ClusterNode, ClusterPod } from "../fields.ts";
import { type ClaimsOfPod, fitsNode, type NodeFit, type VolumeListers } from "./fits-node.ts";
import { becauseOfNodes, becauseOfPod, filterReason } from "./unschedulable.ts";

export interface SchedulingListers extends VolumeListers {
  claimNamed(key: Key): Claim | undefined;
  nodes(): readonly ClusterNode[];
  /** The pods that use a claim and have a node. */
  claimHolders(key: Key): readonly ClusterPod[];
  /** The number of pods on a node; the node with the fewest is preferred. */
  podsOn(node: string): number;
  /** Nodes where provisioning for this pod has failed: chosen again only when no other fits. */
  readonly failed: ReadonlySet<string>;
}

export type SchedulingPlan =
  | { readonly step: "none" }
  /** The pod cannot be scheduled before something changes; `message` tells the user why. */
  | { readonly step: "wait"; readonly message?: string }
  /** The pod's volumes are bound or provisioned for this node; the pod is assigned when they are bound. */
  | { readonly step: "reserve"; readonly node: string; readonly bind: NodeFit["bind"]; readonly provision: readonly Claim[] }
  | { readonly step: "assign"; readonly node: string };

/** Chooses the node of a pod. For WaitForFirstConsumer claims the choice is kept in their `selected-node` annotation, not in memory. */
export function planPod(pod: ClusterPod, listers: SchedulingListers): SchedulingPlan {
  if (pod.spec?.nodeName || pod.metadata.deletionTimestamp !== undefined || isTerminated(pod)) return { step: "none" };
  if ((pod.spec?.schedulerName ?? "default-scheduler") !== "default-scheduler") return { step: "none" };
  if (pod.spec?.schedulingGates?.length) return { step: "none" };
  const nodes = listers.nodes();
  const found = sortClaims(pod, listers);
  if ("everywhere" in found) return { step: "wait", message: becauseOfNodes(nodes.map(() => found.everywhere)) };
  if ("message" in found) {
    return { step: "wait", message: nodes.length === 0 ? becauseOfNodes([]) : becauseOfPod(found.message, nodes.length) };
  }

  const looks = nodes.map((node) => (isTakenAlone(pod, found, listers) ? filterReason.inUse : fitsNode(pod, node, found, listers)));
  const fits = looks.filter((look) => typeof look !== "string");
  const [best] = fits.sort(preference(found.bound, listers));
  if (!best) return { step: "wait", message: becauseOfNodes(looks.filter((look) => typeof look === "string")) };
  const provision = best.provision.filter((claim) => claim.metadata.annotations?.[annotation.selectedNode] !== best.node);
  if (best.bind.length > 0 || provision.length > 0) return { step: "reserve", node: best.node, bind: best.bind, provision };
  return found.late.length > 0 ? { step: "wait" } : { step: "assign", node: best.node };
}

/** A ReadWriteOncePod claim belongs to the first pod that has a node. */
function isTakenAlone(pod: ClusterPod, { bound, late }: ClaimsOfPod, listers: SchedulingListers): boolean {
  return [...bound, ...late].some(
    ({ claim }) =>
      claim.spec?.accessModes?.includes("ReadWriteOncePod") &&
      listers.claimHolders(refKey(claim.metadata)).some((other) => other.metadata.uid !== pod.metadata.uid && !isTerminated(other)),
  );
}

/** `message` where the pod itself cannot be scheduled, `everywhere` where every node has the same reason. */
type Refused = { readonly message: string } | { readonly everywhere: string };

function sortClaims(pod: ClusterPod, listers: SchedulingListers): ClaimsOfPod | Refused {
  const bound: ClaimsOfPod["bound"][number][] = [];
  const late: ClaimsOfPod["late"][number][] = [];
  const ephemeral = new Set(ephemeralClaims(pod).map(({ name }) => name));
  for (const key of claimsOfPod(pod)) {
    const claim = listers.claimNamed(key);
    const name = key.slice(key.indexOf("/") + 1);
    const isEphemeral = ephemeral.has(name);
    if (!claim && isEphemeral) return { message: `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"` };
    if (!claim) return { message: `persistentvolumeclaim "${name}" not found` };
    if (claim.metadata.deletionTimestamp !== undefined) return { message: `persistentvolumeclaim "${name}" is being deleted` };
    if (claim.status?.phase === "Lost") {
      return { message: `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ""}"` };
    }
    if (isEphemeral && !belongsTo(claim, pod)) {
      return { message: `PVC ${key} was not created for pod ${refKey(pod.metadata)} (pod is not owner)` };
    }
    const volumeName = claim.spec?.volumeName;
    if (volumeName && claim.metadata.annotations?.[annotation.bindCompleted] !== undefined) {
      const volume = listers.volumeNamed(volumeName);
      if (!volume) return { everywhere: filterReason.volumeGone };
      bound.push({ claim, volume });
      continue;
    }
    const storageClass = listers.classNamed(storageClassName(claim));
    if (!storageClass || !bindsLate(storageClass) || volumeName) return { message: "pod has unbound immediate PersistentVolumeClaims" };
    late.push({ claim, storageClass });
  }
  return { bound, late };
}

/** Prefers the selected node of the volumes, then nodes without a failure, then those with fewer pods, then by name. */
function preference(bound: ClaimsOfPod["bound"], { failed, podsOn }: SchedulingListers): (a: NodeFit, b: NodeFit) => number {
  const chosen = new Set(bound.map(({ claim }) => claim.metadata.annotations?.[annotation.selectedNode]));
  const rank = ({ node }: NodeFit) => [chosen.has(node) ? 0 : 1, failed.has(node) ? 1 : 0, podsOn(node)];
  return (a, b) => {
    const [ranksA, ranksB] = [rank(a), rank(b)];
    const decisive = ranksA.findIndex((value, i) => value !== ranksB[i]);
    return decisive < 0 ? (a.node < b.node ? -1 : 1) : (ranksA[decisive] ?? 0) - (ranksB[decisive] ?? 0);
  };
}
