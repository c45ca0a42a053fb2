import { type ObjectRef, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import type { AttachmentFacts } from "./facts.ts";
import { eventsAbout, type GatherContext } from "./gather.ts";
import { gatherActor, gatherNode } from "./gather-actor.ts";
import { valueIn } from "./look.ts";

export async function gatherAttachment(context: GatherContext, ref: ObjectRef): Promise<AttachmentFacts> {
  const { look, clock } = context;
  const looked = await look.get(VolumeAttachment, ref);
  const attachment = valueIn(looked);
  const common = { kind: "attachment", ref, attachment: looked, unseen: look.notes } as const;
  const isSettled = attachment?.status?.attached && !attachment.metadata?.deletionTimestamp;
  if (!attachment || isSettled) return { ...common, now: clock.now(), events: [] };
  const { attacher, nodeName, source } = attachment.spec;
  const [events, volume, node, actor] = await Promise.all([
    eventsAbout(look, attachment.metadata?.uid),
    source.persistentVolumeName ? look.get(PersistentVolume, { name: source.persistentVolumeName }) : undefined,
    gatherNode(context, nodeName),
    gatherActor(context, attacher, "attacher"),
  ]);
  return { ...common, events, node, actor, ...(volume && { volume }), now: clock.now() };
}
