import type { V1Pod } from "@csi-sidecars/kube";
import { controllerReference, hasEnded, isReady, isTerminating } from "./owned-objects.ts";
import { ReplicaSet, type V1ReplicaSet } from "./workload-kinds.ts";

export interface ReplicaSetPlan {
  readonly create: readonly V1Pod[];
  readonly remove: readonly V1Pod[];
  readonly status: NonNullable<V1ReplicaSet["status"]> & { readonly terminatingReplicas: number };
}

/** The pods that a ReplicaSet has too few or too many of. Those that have ended do not count. */
export function planReplicaSet(set: V1ReplicaSet, pods: readonly V1Pod[]): ReplicaSetPlan {
  const { replicas = 1, template } = set.spec ?? {};
  const active = pods.filter((pod) => !isTerminating(pod) && !hasEnded(pod));
  const pod = {
    metadata: {
      ...template?.metadata,
      generateName: `${set.metadata?.name}-`,
      namespace: set.metadata?.namespace,
      ownerReferences: [controllerReference(ReplicaSet, set)],
    },
    spec: { containers: [], ...template?.spec },
  };
  const readyReplicas = active.filter(isReady).length;
  return {
    create: Array.from({ length: Math.max(0, replicas - active.length) }, () => pod),
    remove: active.toSorted(leastNeededFirst).slice(0, Math.max(0, active.length - replicas)),
    status: {
      ...{ observedGeneration: set.metadata?.generation, replicas: active.length, fullyLabeledReplicas: active.length },
      ...{ readyReplicas, availableReplicas: readyReplicas, terminatingReplicas: pods.filter(isTerminating).length },
    },
  };
}

/** Pods without a node first, then those that are not ready, then the newest. */
function leastNeededFirst(a: V1Pod, b: V1Pod): number {
  const rank = (pod: V1Pod) => (pod.spec?.nodeName ? 2 : 0) + (isReady(pod) ? 1 : 0);
  const created = ({ metadata }: V1Pod) => Date.parse(metadata?.creationTimestamp ?? "") || 0;
  return rank(a) - rank(b) || created(b) - created(a);
}
