import { controllerReference, isTerminating, templateHash } from "./owned-objects.ts";
import { rollingReplicas } from "./rolling-replicas.ts";
import { Deployment, type V1Deployment, type V1ReplicaSet } from "./workload-kinds.ts";

const hashLabel = "pod-template-hash";
export const revisionAnnotation = "deployment.kubernetes.io/revision";

export interface DeploymentPlan {
  /** The ReplicaSet of a new template. */
  readonly create?: V1ReplicaSet;
  /** ReplicaSets that get another size or, after a rollback, another revision. */
  readonly change: readonly { readonly set: V1ReplicaSet; readonly replicas: number; readonly revision: string }[];
  /** Old ones that no rollback may need any more. */
  readonly remove: readonly V1ReplicaSet[];
  /** Of the ReplicaSet with the present template. */
  readonly revision: string;
  readonly status: Omit<NonNullable<V1Deployment["status"]>, "conditions">;
}

/** What a Deployment needs next, with its ReplicaSets as they are. */
export function planDeployment(deployment: V1Deployment, owned: readonly V1ReplicaSet[]): DeploymentPlan {
  const { template, replicas = 1, strategy, paused = false, revisionHistoryLimit = 10 } = deployment.spec ?? {};
  const hash = templateHash(template);
  const current = owned.find(({ metadata }) => metadata?.labels?.[hashLabel] === hash);
  const old = owned.filter((set) => set !== current).sort((a, b) => revisionOf(a) - revisionOf(b));
  const newest = Math.max(0, ...old.map(revisionOf));
  const revision = String(current && revisionOf(current) > newest ? revisionOf(current) : newest + 1);
  const base = { change: [], remove: [], revision, status: statusOf(deployment, owned, current) };
  if (!current) return paused ? base : { ...base, create: newReplicaSet(deployment, hash, revision) };
  const present = { replicas: sizeOf(current), available: current.status?.availableReplicas ?? 0 };
  const before = old.map((set) => ({ replicas: sizeOf(set), available: set.status?.availableReplicas ?? 0 }));
  const next =
    strategy?.type === "Recreate"
      ? { current: old.some(hasPods) ? present.replicas : replicas, old: old.map(() => 0) }
      : rollingReplicas({ wanted: replicas, current: present, old: before, ...strategy?.rollingUpdate });
  const changedOld = old.flatMap((set, i) => {
    const size = next.old[i] ?? 0;
    return size === sizeOf(set) || paused ? [] : [{ set, replicas: size, revision: String(revisionOf(set)) }];
  });
  const outdated = sizeOf(current) !== next.current || String(revisionOf(current)) !== revision;
  return {
    ...base,
    change: [...(outdated ? [{ set: current, replicas: next.current, revision }] : []), ...changedOld],
    remove: old.filter((set) => sizeOf(set) === 0 && !hasPods(set) && !isTerminating(set)).slice(0, -revisionHistoryLimit || undefined),
  };
}

const sizeOf = ({ spec }: V1ReplicaSet): number => spec?.replicas ?? 1;
const revisionOf = ({ metadata }: V1ReplicaSet): number => Number(metadata?.annotations?.[revisionAnnotation] ?? 0);

/** Also those that terminate: with Recreate, their volumes are not free before they are gone. */
function hasPods(set: V1ReplicaSet): boolean {
  const {
    replicas = 0,
    terminatingReplicas = 0,
    observedGeneration = 0,
  } = (set.status ?? {}) as {
    readonly replicas?: number;
    readonly terminatingReplicas?: number;
    readonly observedGeneration?: number;
  };
  return sizeOf(set) + replicas + terminatingReplicas > 0 || observedGeneration < (set.metadata?.generation ?? 0);
}

/** It starts without pods; the next look at it decides how many it gets. */
function newReplicaSet(deployment: V1Deployment, hash: string, revision: string): V1ReplicaSet {
  const { template, selector } = deployment.spec ?? {};
  const labels = { ...template?.metadata?.labels, [hashLabel]: hash };
  return {
    metadata: {
      name: `${deployment.metadata?.name}-${hash}`,
      namespace: deployment.metadata?.namespace,
      labels,
      annotations: { [revisionAnnotation]: revision },
      ownerReferences: [controllerReference(Deployment, deployment)],
    },
    spec: {
      replicas: 0,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template?.metadata, labels } },
    },
  };
}

function statusOf({ metadata, spec }: V1Deployment, owned: readonly V1ReplicaSet[], current: V1ReplicaSet | undefined) {
  const sum = (count: (set: V1ReplicaSet) => number | undefined) => owned.reduce((all, set) => all + (count(set) ?? 0), 0);
  const availableReplicas = sum(({ status }) => status?.availableReplicas);
  return {
    observedGeneration: metadata?.generation,
    replicas: sum(({ status }) => status?.replicas),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum(({ status }) => status?.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, (spec?.replicas ?? 1) - availableReplicas),
  };
}
