import {
  type ObjectRef,
  PersistentVolume,
  PersistentVolumeClaim,
  type V1PersistentVolume,
  type V1VolumeAttachment,
  VolumeAttachment,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import { filterFound, foundIn, type Lookup } from "../../access/read-cluster.ts";
import { eventsAbout } from "../events.ts";
import { gatherConditions } from "./conditions.ts";
import { type GatherContext, gatherDriver, gatherNode } from "./context.ts";
import type { ObservedAttachment, ObservedConditions, ObservedVolume } from "./observed.ts";

export async function gatherVolume(context: GatherContext, ref: ObjectRef): Promise<ObservedVolume> {
  const { cluster, clock, responsibleFor, reportOn } = context;
  const lookup = await cluster.get(PersistentVolume, ref);
  const volume = foundIn(lookup);
  const common = { ref, volume: lookup, responsibleFor, reportOn, notes: cluster.notes };
  if (!volume) return { ...common, now: clock.now(), events: [] };
  const [events, more, conditions] = await Promise.all([
    eventsAbout(cluster, volume.metadata?.uid),
    moreAbout(context, volume),
    conditionsOf(context, volume),
  ]);
  return { ...common, ...more, ...events, ...(conditions && { conditions }), now: clock.now() };
}

/** What is reported about a volume is reported on the claim that it is bound to. */
async function conditionsOf(context: GatherContext, { spec, status }: V1PersistentVolume): Promise<ObservedConditions | undefined> {
  const { name, namespace = "", uid } = spec?.claimRef ?? {};
  if (status?.phase !== "Bound" || name === undefined || uid === undefined) return undefined;
  return gatherConditions(context, { name, namespace }, (await eventsAbout(context.cluster, uid, namespace)).events);
}

async function moreAbout(context: GatherContext, volume: V1PersistentVolume): Promise<Partial<ObservedVolume>> {
  const { cluster } = context;
  const { claimRef, csi } = volume.spec ?? {};
  const phase = volume.status?.phase;
  const { [wellKnownAnnotation.migratedTo]: migratedTo, [wellKnownAnnotation.provisionedBy]: provisionedBy } =
    volume.metadata?.annotations ?? {};
  const driverName = migratedTo ?? provisionedBy ?? csi?.driver;
  const isReclaimed = phase === "Released" || phase === "Failed" || volume.metadata?.deletionTimestamp !== undefined;
  const [claim, attachments, pendingClaims, driver] = await Promise.all([
    claimRef?.name && !(phase === "Released")
      ? cluster.get(PersistentVolumeClaim, { name: claimRef.name, ...(claimRef.namespace && { namespace: claimRef.namespace }) })
      : undefined,
    isReclaimed ? attachmentsOf(context, volume.metadata?.name ?? "") : undefined,
    phase === "Available" && !claimRef ? pending(context) : undefined,
    isReclaimed && driverName !== undefined && volume.spec?.persistentVolumeReclaimPolicy === "Delete"
      ? gatherDriver(context, driverName, "delete")
      : undefined,
  ]);
  return {
    ...(claim && { claim }),
    ...(attachments && { attachments }),
    ...(pendingClaims && { pendingClaims }),
    ...(driver && { driver }),
  };
}

/** The attachments of a volume, whatever their state. */
async function attachmentsOf({ cluster }: GatherContext, volume: string): Promise<Lookup<readonly V1VolumeAttachment[]>> {
  return filterFound(await cluster.list(VolumeAttachment), ({ spec }) => spec.source.persistentVolumeName === volume);
}

async function pending({ cluster }: GatherContext): Promise<NonNullable<ObservedVolume["pendingClaims"]>> {
  return filterFound(await cluster.list(PersistentVolumeClaim), ({ status }) => (status?.phase ?? "Pending") === "Pending");
}

export async function gatherAttachment(context: GatherContext, ref: ObjectRef): Promise<ObservedAttachment> {
  const { cluster, clock, responsibleFor } = context;
  const lookup = await cluster.get(VolumeAttachment, ref);
  const attachment = foundIn(lookup);
  const common = { ref, attachment: lookup, responsibleFor, notes: cluster.notes };
  const isSettled = attachment?.status?.attached && !attachment.metadata?.deletionTimestamp;
  if (!attachment || isSettled) return { ...common, now: clock.now(), events: [] };
  const { attacher, nodeName, source } = attachment.spec;
  const [events, volume, node, driver] = await Promise.all([
    eventsAbout(cluster, attachment.metadata?.uid),
    source.persistentVolumeName ? cluster.get(PersistentVolume, { name: source.persistentVolumeName }) : undefined,
    gatherNode(context, nodeName),
    gatherDriver(context, attacher, attachment.metadata?.deletionTimestamp ? "detach" : "attach"),
  ]);
  return { ...common, ...events, node, driver, ...(volume && { volume }), now: clock.now() };
}
