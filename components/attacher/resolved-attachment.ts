import type { Result } from "@csi-sidecars/base";
import { wellKnownAnnotation as annotation } from "@csi-sidecars/kube";
import type { Attachment, CsiNode, Volume } from "./fields.ts";
import { messages } from "./messages.ts";

/** An attachment with the objects that it names, as far as they are known. */
export interface ResolvedAttachment {
  readonly attachment: Attachment;
  readonly volume: Volume | undefined;
  readonly node: CsiNode | undefined;
}

interface Caches {
  readonly volumes: { get(name: string): Volume | undefined };
  readonly nodes: { get(name: string): CsiNode | undefined };
}

export function resolveAttachment({ volumes, nodes }: Caches, attachment: Attachment): ResolvedAttachment {
  return { attachment, volume: volumes.get(persistentVolumeName(attachment) ?? ""), node: nodes.get(attachment.spec.nodeName) };
}

/** `undefined` for an attachment that describes its volume inline. */
export function persistentVolumeName(attachment: Attachment): string | undefined {
  return attachment.spec.source.persistentVolumeName;
}

/** The ID of the node as the driver registered it: the only one that may be attached to. */
export function nodeIdForAttach({ attachment, node }: ResolvedAttachment, driver: string): Result<string> {
  const name = attachment.spec.nodeName;
  if (!node) return { error: messages.csiNodeMissing(name) };
  const nodeId = registeredNodeId(node, driver);
  return nodeId === undefined ? { error: messages.driverNotRegistered(name, driver) } : { value: nodeId };
}

/**
 * The ID of the node to detach from. A node that is gone or has lost the driver is known by the annotation that was written before
 * the attach. If the driver registered the node again with another ID, that one is used, as upstream does.
 */
export function nodeIdForDetach(resolved: ResolvedAttachment, driver: string): Result<string> {
  const registered = nodeIdForAttach(resolved, driver);
  const annotated = resolved.attachment.metadata.annotations?.[annotation.nodeId];
  return registered.error !== undefined && annotated ? { value: annotated } : registered;
}

/** The driver's ID of the node; `undefined` while it is not registered there. A CSINode without drivers has no list. */
export function registeredNodeId(node: CsiNode | undefined, driver: string): string | undefined {
  return node?.spec?.drivers?.find(({ name }) => name === driver)?.nodeID;
}
