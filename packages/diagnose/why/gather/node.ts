import { type ObjectRef, VolumeAttachment } from "@csi-sidecars/kube";
import { filterFound } from "../../access/read-cluster.ts";
import { type GatherContext, gatherNode } from "./context.ts";
import type { ObservedNodeVolumes } from "./observed.ts";

/** A node with the volumes that are attached to it, or are to be. */
export async function gatherNodeVolumes(context: GatherContext, ref: ObjectRef): Promise<ObservedNodeVolumes> {
  const [{ node, csiNode }, attachments] = await Promise.all([gatherNode(context, ref.name), context.cluster.list(VolumeAttachment)]);
  return {
    ...{ ref, node, csiNode, notes: context.cluster.notes },
    attachments: filterFound(attachments, ({ spec }) => spec.nodeName === ref.name),
  };
}
