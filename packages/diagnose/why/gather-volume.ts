import {
  type ObjectRef,
  PersistentVolume,
  PersistentVolumeClaim,
  type V1PersistentVolume,
  type V1VolumeAttachment,
  VolumeAttachment,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import type { VolumeFacts } from "./facts.ts";
import { eventsAbout, type GatherContext } from "./gather.ts";
import { gatherActor } from "./gather-actor.ts";
import { type Look, seen, valueIn } from "./look.ts";

export async function gatherVolume(context: GatherContext, ref: ObjectRef): Promise<VolumeFacts> {
  const { look, clock } = context;
  const looked = await look.get(PersistentVolume, ref);
  const volume = valueIn(looked);
  const common = { kind: "volume", ref, volume: looked, unseen: look.notes } as const;
  if (!volume) return { ...common, now: clock.now(), events: [] };
  const [events, more] = await Promise.all([eventsAbout(look, volume.metadata?.uid), moreAbout(context, volume)]);
  return { ...common, ...more, events, now: clock.now() };
}

async function moreAbout(context: GatherContext, volume: V1PersistentVolume): Promise<Partial<VolumeFacts>> {
  const { look } = context;
  const { claimRef, csi } = volume.spec ?? {};
  const phase = volume.status?.phase;
  const { [wellKnownAnnotation.migratedTo]: migratedTo, [wellKnownAnnotation.provisionedBy]: provisionedBy } =
    volume.metadata?.annotations ?? {};
  const driver = migratedTo ?? provisionedBy ?? csi?.driver;
  const going = phase === "Released" || phase === "Failed" || volume.metadata?.deletionTimestamp !== undefined;
  const [claim, attachments, pendingClaims, actor] = await Promise.all([
    claimRef?.name && !(phase === "Released")
      ? look.get(PersistentVolumeClaim, { name: claimRef.name, ...(claimRef.namespace && { namespace: claimRef.namespace }) })
      : undefined,
    going ? attachmentsOf(context, volume.metadata?.name ?? "") : undefined,
    phase === "Available" && !claimRef ? pending(context) : undefined,
    going && driver !== undefined && volume.spec?.persistentVolumeReclaimPolicy === "Delete"
      ? gatherActor(context, driver, "provisioner")
      : undefined,
  ]);
  return { ...(claim && { claim }), ...(attachments && { attachments }), ...(pendingClaims && { pendingClaims }), ...(actor && { actor }) };
}

/** The attachments of a volume, whatever their state. */
export async function attachmentsOf({ look }: GatherContext, volume: string): Promise<Look<readonly V1VolumeAttachment[]>> {
  const all = await look.list(VolumeAttachment);
  return all.state === "seen" ? seen(all.value.filter(({ spec }) => spec.source.persistentVolumeName === volume)) : all;
}

async function pending({ look }: GatherContext): Promise<NonNullable<VolumeFacts["pendingClaims"]>> {
  const all = await look.list(PersistentVolumeClaim);
  return all.state === "seen" ? seen(all.value.filter(({ status }) => (status?.phase ?? "Pending") === "Pending")) : all;
}
