import { ownValue } from "@csi-sidecars/base";
import { type JsonObject, objectAt } from "../json.ts";
import { groupResource, type ServedKind } from "../kind.ts";
import { checkShape, flag, int32, list, quantities, type Shape, struct, text, textMap, texts } from "./type-check.ts";

type Fields = Readonly<Record<string, Shape>>;

const owner = struct("OwnerReference", {
  apiVersion: text,
  kind: text,
  name: text,
  uid: { is: "string", go: "types.UID" },
  controller: flag,
});

const metadata = struct("ObjectMeta", {
  name: text,
  generateName: text,
  namespace: text,
  labels: textMap,
  annotations: textMap,
  finalizers: texts,
  ownerReferences: list(owner),
});

const secretRef = struct("SecretReference", { name: text, namespace: text });
const accessModes = list({ is: "string", go: "v1.PersistentVolumeAccessMode" });
const volumeMode: Shape = { is: "string", go: "v1.PersistentVolumeMode" };
const volumeError = struct("VolumeError", { message: text, errorCode: int32 });
const objectReference = struct("ObjectReference", {
  apiVersion: text,
  kind: text,
  namespace: text,
  name: text,
  resourceVersion: text,
  fieldPath: text,
});

const csi = struct("CSIPersistentVolumeSource", {
  driver: text,
  volumeHandle: text,
  readOnly: flag,
  fsType: text,
  volumeAttributes: textMap,
  controllerPublishSecretRef: secretRef,
  nodeStageSecretRef: secretRef,
  nodePublishSecretRef: secretRef,
  controllerExpandSecretRef: secretRef,
  nodeExpandSecretRef: secretRef,
});

const condition = struct("PersistentVolumeClaimCondition", { reason: text, message: text });

/** The types of the fields that storage clients write, by group resource. */
const shapes: Readonly<Record<string, Fields>> = {
  configmaps: { data: textMap },
  secrets: { stringData: textMap, type: { is: "string", go: "v1.SecretType" }, immutable: flag },
  persistentvolumes: {
    spec: struct(
      "PersistentVolumeSpec",
      {
        capacity: quantities,
        accessModes,
        csi,
        claimRef: objectReference,
        storageClassName: text,
        mountOptions: texts,
        volumeMode,
        volumeAttributesClassName: text,
      },
      { as: "PersistentVolumeSource", fields: ["csi"] },
    ),
    status: struct("PersistentVolumeStatus", { message: text, reason: text }),
  },
  persistentvolumeclaims: {
    spec: struct("PersistentVolumeClaimSpec", {
      accessModes,
      resources: struct("VolumeResourceRequirements", { requests: quantities, limits: quantities }),
      storageClassName: text,
      volumeName: text,
      volumeMode,
      volumeAttributesClassName: text,
    }),
    status: struct("PersistentVolumeClaimStatus", {
      accessModes,
      capacity: quantities,
      allocatedResources: quantities,
      conditions: list(condition),
      currentVolumeAttributesClassName: text,
    }),
  },
  "volumeattachments.storage.k8s.io": {
    spec: struct("VolumeAttachmentSpec", {
      attacher: text,
      nodeName: text,
      source: struct("VolumeAttachmentSource", { persistentVolumeName: text }),
    }),
    status: struct("VolumeAttachmentStatus", {
      attached: flag,
      attachmentMetadata: textMap,
      attachError: volumeError,
      detachError: volumeError,
    }),
  },
  "storageclasses.storage.k8s.io": { provisioner: text, parameters: textMap, mountOptions: texts, allowVolumeExpansion: flag },
  "volumeattributesclasses.storage.k8s.io": { driverName: text, parameters: textMap },
  "csinodes.storage.k8s.io": {
    spec: struct("CSINodeSpec", {
      drivers: list(
        struct("CSINodeDriver", {
          name: text,
          nodeID: text,
          topologyKeys: texts,
          allocatable: struct("VolumeNodeResources", { count: int32 }),
        }),
      ),
    }),
  },
  "csistoragecapacities.storage.k8s.io": { storageClassName: text },
  "leases.coordination.k8s.io": {
    spec: struct("LeaseSpec", { holderIdentity: text, leaseDurationSeconds: int32, leaseTransitions: int32 }),
  },
};

/** Refuses an object whose fields are of other types than the server's. Custom kinds have a schema; only their metadata is looked at. */
export function checkTypes(kind: ServedKind, object: JsonObject): void {
  if (kind.custom) checkShape(kind, objectAt(object, "metadata"), metadata);
  else checkShape(kind, object, struct(kind.kind, { metadata, ...ownValue(shapes, groupResource(kind)) }));
}
