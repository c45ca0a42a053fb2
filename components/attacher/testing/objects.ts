import {
  type Cached,
  type FieldSet,
  type KubeObject,
  projectorFor,
  type V1CSINode,
  type V1PersistentVolume,
  type V1VolumeAttachment,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import { type DriverInfo, finalizerName } from "../driver-capabilities.ts";
import { type Attachment, attachmentFields, type CsiNode, nodeFields, type Volume, volumeFields } from "../fields.ts";

export const driverName = "csi.example.com";
export const finalizer = finalizerName(driverName);
export const foreign = "example.com/guard";
export const nodeIdAnnotation = wellKnownAnnotation.nodeId;

type VolumeSpec = NonNullable<V1PersistentVolume["spec"]>;
type CsiSource = NonNullable<VolumeSpec["csi"]>;
type Meta<T extends { metadata?: unknown }> = NonNullable<T["metadata"]>;

/** A volume `pv1` with handle `handle1` that many nodes may write to. */
export function volume(
  parts: { metadata?: Meta<V1PersistentVolume>; spec?: Partial<VolumeSpec>; csi?: Partial<CsiSource> } = {},
): V1PersistentVolume {
  return {
    metadata: { name: "pv1", ...parts.metadata },
    spec: {
      accessModes: ["ReadWriteMany"],
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Retain",
      csi: { driver: driverName, volumeHandle: "handle1", ...parts.csi },
      ...parts.spec,
    },
  };
}

/** The same volume described in an attachment itself. */
export function inlineSpec(csi: Partial<CsiSource> = {}): VolumeSpec {
  return { accessModes: ["ReadWriteMany"], csi: { driver: driverName, volumeHandle: "handle1", ...csi } };
}

/** `node1` with the driver registered as `nodeID1`. */
export function csiNode(name = "node1", nodeID = "nodeID1", driver = driverName): V1CSINode {
  return { metadata: { name }, spec: { drivers: [{ name: driver, nodeID, topologyKeys: null as never }] } };
}

/** `va` of `pv1` to `node1`. */
export function attachment(
  parts: { metadata?: Meta<V1VolumeAttachment>; spec?: Partial<V1VolumeAttachment["spec"]> } = {},
): V1VolumeAttachment {
  return {
    metadata: { name: "va", ...parts.metadata },
    spec: { attacher: driverName, nodeName: "node1", source: { persistentVolumeName: "pv1" }, ...parts.spec },
  };
}

/** An attachment that is prepared: with finalizer and node id. */
export function prepared(spec: Partial<V1VolumeAttachment["spec"]> = {}, metadata: Meta<V1VolumeAttachment> = {}): V1VolumeAttachment {
  return attachment({ metadata: { finalizers: [finalizer], annotations: { [nodeIdAnnotation]: "nodeID1" }, ...metadata }, spec });
}

export const deleted = { deletionTimestamp: "2026-01-02T03:04:05Z" };

/** Objects as the caches hold them. */
export const cachedAttachment = (object: V1VolumeAttachment): Attachment => cached(attachmentFields, object);
export const cachedVolume = (object: V1PersistentVolume): Volume => cached(volumeFields, object);
export const cachedNode = (object: V1CSINode): CsiNode => cached(nodeFields, object);

function cached<T extends KubeObject, P extends Cached>(fields: FieldSet<T, P>, object: T): P {
  const metadata = { uid: `uid-of-${object.metadata?.name}`, resourceVersion: "1", ...object.metadata };
  return projectorFor(fields)({ ...object, metadata });
}

/** The driver of the tests: with PUBLISH_READONLY, without SINGLE_NODE_MULTI_WRITER. */
export const driverInfo: DriverInfo = {
  name: driverName,
  finalizer,
  publishReadonly: true,
  singleNodeMultiWriter: false,
  defaultFsType: "ext4",
};
