import type { ControllerPublishVolumeRequest } from "@csi-sidecars/csi";
import type { Patch } from "@csi-sidecars/kube";
import type { Attachment, NodeDrivers, Volume } from "./fields.ts";
import { registeredNodeId } from "./node-id.ts";
import { addFinalizerPatch, preparePatch } from "./patches.ts";
import { type SecretRef, secretRefOf } from "./secrets.ts";
import { volumeCapabilityOf } from "./volume-capability.ts";
import { volumeSourceOf } from "./volume-source.ts";

/** What does not change while the component runs. */
export interface DriverFacts {
  readonly name: string;
  readonly finalizer: string;
  /** PUBLISH_READONLY */
  readonly publishReadonly: boolean;
  /** SINGLE_NODE_MULTI_WRITER */
  readonly singleNodeMultiWriter: boolean;
  /** For volumes that name no file system. */
  readonly defaultFsType: string;
}

/** The state of the world around one attachment. */
export interface AttachmentWorld {
  readonly attachment: Attachment;
  /** The PersistentVolume it names. */
  readonly volume: Volume | undefined;
  /** The CSINode it names. */
  readonly node: NodeDrivers | undefined;
}

export type AttachPlan =
  | { readonly step: "none"; readonly because: "not ours" | "deleting" | "attached" }
  /** Nothing to call: tell the user why. */
  | { readonly step: "report"; readonly message: string }
  /** The volume must not vanish while it is attached: its finalizer comes before everything else. */
  | { readonly step: "protect"; readonly volume: Volume; readonly patch: Patch }
  /** Load the secret, store `prepare`, then call the driver. */
  | {
      readonly step: "publish";
      /** Without secrets: they are loaded when they are needed. */
      readonly request: Omit<ControllerPublishVolumeRequest, "secrets">;
      readonly secret: SecretRef | undefined;
      readonly prepare: Patch | undefined;
      readonly migrated: boolean;
    };

/**
 * What the present state asks for. Everything that can be checked is checked before the attachment gets its finalizer, because
 * that would keep an attachment that can never succeed from being deleted. `forced`: the driver does not list the volume as attached.
 */
export function planAttach({ attachment, volume, node }: AttachmentWorld, driver: DriverFacts, forced = false): AttachPlan {
  if (attachment.spec.attacher !== driver.name) return { step: "none", because: "not ours" };
  if (attachment.metadata.deletionTimestamp) return { step: "none", because: "deleting" };
  if (attachment.status?.attached && !forced) return { step: "none", because: "attached" };

  const bare = !attachment.spec.source.inlineVolumeSpec;
  if (volume && bare) {
    const { name, deletionTimestamp, finalizers } = volume.metadata;
    if (deletionTimestamp) return report(`PersistentVolume "${name}" is marked for deletion`);
    if (!finalizers?.includes(driver.finalizer)) {
      return { step: "protect", volume, patch: addFinalizerPatch(volume, driver.finalizer) };
    }
  }
  const source = volumeSourceOf(attachment, volume);
  if (source.error !== undefined) return report(source.error);
  const { csi, migrated } = source.value;
  const volumeCapability = volumeCapabilityOf(source.value, driver);
  if (volumeCapability.error !== undefined) return report(volumeCapability.error);
  const nodeId = registeredNodeId(attachment, node, driver.name);
  if (nodeId.error !== undefined) return report(nodeId.error);

  return {
    step: "publish",
    request: {
      volumeId: csi.volumeHandle,
      nodeId: nodeId.value,
      volumeCapability: volumeCapability.value,
      readonly: driver.publishReadonly && csi.readOnly === true,
      volumeContext: { ...csi.volumeAttributes },
    },
    secret: secretRefOf(csi),
    prepare: preparePatch(attachment, driver.finalizer, nodeId.value),
    migrated,
  };
}

function report(message: string): AttachPlan {
  return { step: "report", message };
}
