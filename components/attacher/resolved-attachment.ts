import type { Result } from "@csi-sidecars/base";
import { messages } from "./event-reasons.ts";
import type { Attachment, NodeDrivers } from "./fields.ts";
import { nodeIdAnnotation } from "./names.ts";

/** The driver's id of the attachment's node as the node registered it. This is the only id that may be attached to. */
export function registeredNodeId(attachment: Attachment, node: NodeDrivers | undefined, driver: string): Result<string> {
  const name = attachment.spec.nodeName;
  if (!node) return { error: messages.csiNodeMissing(name) };
  const nodeId = driverIdOn(node, driver);
  return nodeId === undefined ? { error: messages.driverNotRegistered(name, driver) } : { value: nodeId };
}

/**
 * The id to detach from: a node that is gone, or has lost the driver, is known by what was written down when it was attached.
 * A node that registered again under another id is taken at its word, as upstream does.
 */
export function knownNodeId(attachment: Attachment, node: NodeDrivers | undefined, driver: string): Result<string> {
  const registered = registeredNodeId(attachment, node, driver);
  const annotated = attachment.metadata.annotations?.[nodeIdAnnotation];
  return registered.error !== undefined && annotated ? { value: annotated } : registered;
}

/** The id under which the driver knows the node; `undefined` while it is not registered there. A node without drivers has no list. */
export function driverIdOn(node: NodeDrivers | undefined, driver: string): string | undefined {
  return node?.spec?.drivers?.find(({ name }) => name === driver)?.nodeID;
}
