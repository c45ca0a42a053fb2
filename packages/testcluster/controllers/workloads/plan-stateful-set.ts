import type { ObjectMeta, V1PersistentVolumeClaim, V1Pod } from "@csi-sidecars/kube";
import { controllerReference, hasEnded, isReady, isTerminating, templateHash } from "./owned-objects.ts";
import { StatefulSet, type V1StatefulSet } from "./workload-kinds.ts";

/** A pod to create, with the claims that it needs first. */
export interface PlannedPod {
  readonly pod: V1Pod;
  readonly claims: readonly V1PersistentVolumeClaim[];
}

export interface StatefulSetPlan {
  readonly create: readonly PlannedPod[];
  readonly remove: readonly V1Pod[];
  readonly status: NonNullable<V1StatefulSet["status"]>;
}

const revisionLabel = "controller-revision-hash";

/**
 * What a StatefulSet needs next, with its pods as they are. In order, as by default, a pod is only created when those before it are ready, and
 * the last one is removed first. Pods of an older template are replaced from the last one on. There are no ControllerRevisions: a pod that is
 * created anew has the present template, below the partition too.
 */
export function planStatefulSet(set: V1StatefulSet, pods: readonly V1Pod[]): StatefulSetPlan {
  const revision = `${set.metadata?.name}-${templateHash(set.spec?.template)}`;
  const byOrdinal = new Map(pods.flatMap((pod) => ordinalOf(set, pod) ?? []));
  return { ...nextChange(set, byOrdinal, revision), status: statusOf(set, pods, revision) };
}

type Change = Pick<StatefulSetPlan, "create" | "remove">;

function nextChange(set: V1StatefulSet, byOrdinal: ReadonlyMap<number, V1Pod>, revision: string): Change {
  const { replicas = 1, ordinals, podManagementPolicy } = set.spec ?? {};
  const first = ordinals?.start ?? 0;
  const wanted = Array.from({ length: replicas }, (_, i) => first + i);
  const inOrder = podManagementPolicy !== "Parallel";
  const create: PlannedPod[] = [];
  const remove: V1Pod[] = [];
  for (const ordinal of wanted) {
    const pod = byOrdinal.get(ordinal);
    if (!pod) create.push(plannedPod(set, ordinal, revision));
    else if (hasEnded(pod) && !isTerminating(pod)) remove.push(pod);
    else if (isReady(pod) && !isTerminating(pod)) continue;
    if (inOrder) return { create, remove };
  }
  const surplus = [...byOrdinal].filter(([ordinal]) => !wanted.includes(ordinal)).sort(([a], [b]) => b - a);
  for (const [, pod] of surplus) {
    if (!isTerminating(pod)) remove.push(pod);
    if (inOrder) return { create, remove };
  }
  const outdated = create.length + remove.length === 0 ? nextOutdated(set, wanted, byOrdinal, revision) : undefined;
  return { create, remove: outdated ? [outdated] : remove };
}

/** The pod to replace next in a rolling update: the last one of another template, if all after it are ready. */
function nextOutdated({ spec }: V1StatefulSet, wanted: readonly number[], byOrdinal: ReadonlyMap<number, V1Pod>, revision: string) {
  const { type = "RollingUpdate", rollingUpdate } = spec?.updateStrategy ?? {};
  if (type !== "RollingUpdate") return undefined;
  for (const ordinal of wanted.filter((number) => number >= Number(rollingUpdate?.partition ?? 0)).toReversed()) {
    const pod = byOrdinal.get(ordinal);
    if (!pod || isTerminating(pod)) return undefined;
    if (pod.metadata?.labels?.[revisionLabel] !== revision) return pod;
    if (!isReady(pod)) return undefined;
  }
  return undefined;
}

function ordinalOf({ metadata }: V1StatefulSet, pod: V1Pod): readonly [readonly [number, V1Pod]] | undefined {
  const [name = "", prefix = ""] = [pod.metadata?.name, `${metadata?.name}-`];
  const ordinal = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^\d+$/.test(ordinal) ? [[Number(ordinal), pod]] : undefined;
}

function plannedPod(set: V1StatefulSet, ordinal: number, revision: string): PlannedPod {
  const { template, serviceName, volumeClaimTemplates = [], selector, persistentVolumeClaimRetentionPolicy } = set.spec ?? {};
  const namespace = set.metadata?.namespace;
  const name = `${set.metadata?.name}-${ordinal}`;
  const owner = controllerReference(StatefulSet, set);
  const claims = volumeClaimTemplates.map(({ metadata, spec }) => ({
    metadata: {
      ...(metadata as ObjectMeta | undefined),
      name: `${metadata?.name}-${name}`,
      namespace,
      labels: { ...metadata?.labels, ...selector?.matchLabels },
      ...(persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete" && { ownerReferences: [owner] }),
    },
    spec,
  }));
  const claimed = volumeClaimTemplates.map(({ metadata }, i) => ({
    name: metadata?.name ?? "",
    persistentVolumeClaim: { claimName: claims[i]?.metadata.name ?? "" },
  }));
  const others = (template?.spec?.volumes ?? []).filter((volume) => !claimed.some((one) => one.name === volume.name));
  const identity = { "statefulset.kubernetes.io/pod-name": name, "apps.kubernetes.io/pod-index": String(ordinal) };
  const pod = {
    metadata: {
      ...template?.metadata,
      ...{ name, namespace, ownerReferences: [owner] },
      labels: { ...template?.metadata?.labels, ...identity, [revisionLabel]: revision },
    },
    spec: {
      containers: [],
      ...template?.spec,
      hostname: name,
      ...(serviceName && { subdomain: serviceName }),
      volumes: [...others, ...claimed],
    },
  };
  return { pod, claims };
}

function statusOf({ metadata, spec, status }: V1StatefulSet, pods: readonly V1Pod[], updateRevision: string) {
  const count = (is: (pod: V1Pod) => boolean) => pods.filter((pod) => is(pod) && !isTerminating(pod)).length;
  const ofRevision = (revision: string) => count((pod) => pod.metadata?.labels?.[revisionLabel] === revision);
  const [readyReplicas, updatedReplicas] = [count(isReady), ofRevision(updateRevision)];
  const complete = updatedReplicas === pods.length && readyReplicas === (spec?.replicas ?? 1) && pods.length === readyReplicas;
  const currentRevision = complete ? updateRevision : status?.currentRevision || updateRevision;
  return {
    ...{ observedGeneration: metadata?.generation, collisionCount: 0, replicas: pods.length },
    ...{ readyReplicas, availableReplicas: readyReplicas, updatedReplicas, currentReplicas: ofRevision(currentRevision) },
    ...{ currentRevision, updateRevision },
  };
}
