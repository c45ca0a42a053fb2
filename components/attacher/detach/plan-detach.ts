import type { ControllerUnpublishVolumeRequest } from "@csi-sidecars/csi";
import { knownNodeId } from "./node-id.ts";
import type { AttachmentWorld, DriverFacts } from "./plan-attach.ts";
import { type SecretRef, secretRefOf } from "./secrets.ts";
import { volumeSourceOf } from "./volume-source.ts";

export type DetachPlan =
  | { readonly step: "none"; readonly because: "not ours" | "not deleted" | "detached" }
  /** Nothing to call: tell the user why. */
  | { readonly step: "report"; readonly message: string }
  /** The driver has detached it; only the status does not say so yet. */
  | { readonly step: "finish" }
  /** Load the secret, call the driver, then let the attachment go. */
  | {
      readonly step: "unpublish";
      /** Without secrets: they are loaded when they are needed. */
      readonly request: Omit<ControllerUnpublishVolumeRequest, "secrets">;
      readonly secret: SecretRef | undefined;
      readonly migrated: boolean;
    };

export type UnpublishPlan = Extract<DetachPlan, { step: "unpublish" }>;

/** What this process remembers of the attachment. */
export interface DetachMemory {
  /** The driver lists the volume otherwise than the attachment says. */
  readonly forced: boolean;
  /** This process has detached it and let go of it, but could not write that down. */
  readonly unpublished: boolean;
}

/**
 * What the present state asks for. The finalizer alone says whether the driver must be called: `attached: false` may mean that an
 * attach timed out, and a deleted attachment without our finalizer counts as detached, whatever its status says.
 */
export function planDetach({ attachment, volume, node }: AttachmentWorld, driver: DriverFacts, memory: DetachMemory): DetachPlan {
  if (attachment.spec.attacher !== driver.name) return { step: "none", because: "not ours" };
  if (!attachment.metadata.deletionTimestamp) return { step: "none", because: "not deleted" };
  const held = attachment.metadata.finalizers?.includes(driver.finalizer) ?? false;
  if (!held && memory.unpublished && isStatusLeft(attachment)) return { step: "finish" };
  if (!held && !memory.forced) return { step: "none", because: "detached" };

  const source = volumeSourceOf(attachment, volume);
  if (source.error !== undefined) return { step: "report", message: source.error };
  const nodeId = knownNodeId(attachment, node, driver.name);
  if (nodeId.error !== undefined) return { step: "report", message: nodeId.error };
  const { csi, migrated } = source.value;
  return { step: "unpublish", request: { volumeId: csi.volumeHandle, nodeId: nodeId.value }, secret: secretRefOf(csi), migrated };
}

/** Whether the status of a detached attachment still tells something else. */
function isStatusLeft({ status }: AttachmentWorld["attachment"]): boolean {
  return Boolean(status?.attached || status?.detachError);
}
