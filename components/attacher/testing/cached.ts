import {
  type Cached,
  type FieldSet,
  type KubeObject,
  projector,
  type V1CSINode,
  type V1PersistentVolume,
  type V1VolumeAttachment,
} from "@csi-sidecars/kube";
import type { DriverInfo } from "../driver-mode.ts";
import { type Attachment, attachmentFields, type CsiNode, nodeFields, type Volume, volumeFields } from "../fields.ts";
import { driverName, finalizer } from "./manifests.ts";

/** Objects as the caches hold them. */
export const cachedAttachment = (object: V1VolumeAttachment): Attachment => cached(attachmentFields, object);
export const cachedVolume = (object: V1PersistentVolume): Volume => cached(volumeFields, object);
export const cachedNode = (object: V1CSINode): CsiNode => cached(nodeFields, object);

function cached<T extends KubeObject, P extends Cached>(fields: FieldSet<T, P>, object: T): P {
  const metadata = { uid: `uid-of-${object.metadata?.name}`, resourceVersion: "1", ...object.metadata };
  return projector(fields.tree)({ ...object, metadata }) as P;
}

/** The driver of the tests: with PUBLISH_READONLY, without SINGLE_NODE_MULTI_WRITER. */
export const driverInfo: DriverInfo = {
  name: driverName,
  finalizer,
  publishReadonly: true,
  singleNodeMultiWriter: false,
  defaultFsType: "ext4",
};

export const deleted = { deletionTimestamp: "2026-01-02T03:04:05Z" };
