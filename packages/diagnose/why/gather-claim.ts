import {
  noProvisioner,
  type ObjectRef,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  protectionFinalizer,
  provisionerFinalizer,
  StorageClass,
  type V1PersistentVolumeClaim,
  type V1Pod,
  VolumeAttributesClass,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import { classNameOf } from "./class-name.ts";
import type { ClaimFacts } from "./facts.ts";
import { eventsAbout, type GatherContext } from "./gather.ts";
import { gatherActor, gatherNode } from "./gather-actor.ts";
import { gatherSource } from "./gather-source.ts";
import { type Look, seen, valueIn } from "./look.ts";

export async function gatherClaim(context: GatherContext, ref: ObjectRef): Promise<ClaimFacts> {
  const { look, clock } = context;
  const looked = await look.get(PersistentVolumeClaim, ref);
  const claim = valueIn(looked);
  const common = { kind: "claim", ref, claim: looked, unseen: look.notes } as const;
  if (!claim) return { ...common, now: clock.now(), events: [] };
  const [events, more, deletion] = await Promise.all([
    eventsAbout(look, claim.metadata?.uid, ref.namespace),
    claim.status?.phase === "Bound" ? boundFacts(context, claim) : pendingFacts(context, claim),
    deletionFacts(context, claim),
  ]);
  return { ...common, ...deletion, ...more, events, now: clock.now() };
}

type More = Partial<ClaimFacts>;

async function pendingFacts(context: GatherContext, claim: V1PersistentVolumeClaim): Promise<More> {
  const { look } = context;
  const { annotations = {} } = claim.metadata ?? {};
  const className = classNameOf(claim);
  const { volumeName } = claim.spec ?? {};
  if (volumeName) return { volume: await look.get(PersistentVolume, { name: volumeName }) };
  if (className === undefined) return { defaultClasses: await defaultClasses(context) };
  const selected = annotations[wellKnownAnnotation.selectedNode];
  const storageClass = className === "" ? undefined : await look.get(StorageClass, { name: className });
  const provisioner = valueIn(storageClass)?.provisioner;
  const byHand = className === "" || provisioner === noProvisioner;
  const driver = annotations[wellKnownAnnotation.provisioner] ?? annotations[wellKnownAnnotation.betaProvisioner] ?? provisioner;
  const [volumes, pods, selectedNode, source, actor] = await Promise.all([
    byHand ? look.list(PersistentVolume) : undefined,
    valueIn(storageClass)?.volumeBindingMode === "WaitForFirstConsumer" ? podsThatUse(context, claim) : undefined,
    selected ? gatherNode(context, selected) : undefined,
    gatherSource(context, claim),
    byHand || driver === undefined ? undefined : gatherActor(context, driver, "provisioner"),
  ]);
  return {
    ...(storageClass && { storageClass }),
    ...(volumes && { volumes }),
    ...(pods && { pods }),
    ...(selectedNode && { selectedNode }),
    ...(source && { source }),
    ...(actor && { actor }),
  };
}

/** A bound claim may have to grow or to change: the driver is the one of its volume. */
async function boundFacts(context: GatherContext, claim: V1PersistentVolumeClaim): Promise<More> {
  const { look } = context;
  const { volumeName = "", volumeAttributesClassName: attributes } = claim.spec ?? {};
  const changes = attributes && (claim.status?.currentVolumeAttributesClassName !== attributes || claim.status.modifyVolumeStatus);
  const [volume, pods, attributesClass] = await Promise.all([
    look.get(PersistentVolume, { name: volumeName }),
    claim.status?.conditions?.length || claim.status?.allocatedResourceStatuses ? podsThatUse(context, claim) : undefined,
    changes ? look.get(VolumeAttributesClass, { name: attributes }) : undefined,
  ]);
  const driver = valueIn(volume)?.spec?.csi?.driver;
  const grows = claim.spec?.resources?.requests?.storage !== claim.status?.capacity?.storage;
  const actor = driver !== undefined && (grows || changes) ? await gatherActor(context, driver, "resizer") : undefined;
  return { volume, ...(pods && { pods }), ...(attributesClass && { attributesClass }), ...(actor && { actor }) };
}

async function deletionFacts(context: GatherContext, claim: V1PersistentVolumeClaim): Promise<More> {
  const { deletionTimestamp, finalizers = [], namespace, name } = claim.metadata ?? {};
  if (!deletionTimestamp) return {};
  const [pods, others] = await Promise.all([
    finalizers.includes(protectionFinalizer.claim) ? podsThatUse(context, claim) : undefined,
    finalizers.includes(provisionerFinalizer.cloneSource)
      ? context.look.list(PersistentVolumeClaim, { ...(namespace && { namespace }) })
      : undefined,
  ]);
  const isClone = ({ spec, status }: V1PersistentVolumeClaim) =>
    status?.phase !== "Bound" && spec?.dataSource?.kind === "PersistentVolumeClaim" && spec.dataSource.name === name;
  return { ...(pods && { pods }), ...(others && { clones: only(others, isClone) }) };
}

async function podsThatUse({ look }: GatherContext, { metadata }: V1PersistentVolumeClaim): Promise<Look<readonly V1Pod[]>> {
  const { namespace, name } = metadata ?? {};
  const pods = await look.list(Pod, { ...(namespace && { namespace }) });
  return only(pods, (pod) => claimsOf(pod).includes(name ?? "") && pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed");
}

/** The claims of a pod; one of an ephemeral volume is named after the pod and the volume. */
export function claimsOf({ spec, metadata }: V1Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata?.name}-${name}`] : [];
  });
}

async function defaultClasses({ look }: GatherContext): Promise<NonNullable<ClaimFacts["defaultClasses"]>> {
  return only(await look.list(StorageClass), ({ metadata }) => {
    const { [wellKnownAnnotation.defaultClass]: stable, [wellKnownAnnotation.betaDefaultClass]: beta } = metadata?.annotations ?? {};
    return stable === "true" || beta === "true";
  });
}

function only<T>(look: Look<readonly T[]>, wanted: (item: T) => boolean): Look<readonly T[]> {
  return look.state === "seen" ? seen(look.value.filter(wanted)) : look;
}
