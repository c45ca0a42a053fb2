import { formatBytes } from "@csi-sidecars/base";
import type { SecretRef } from "@csi-sidecars/controller";
import type { V1PersistentVolume } from "@csi-sidecars/kube";
import { annotation, identityAttribute } from "../names.ts";
import { nodeAffinityFromTopology } from "../topology/node-affinity.ts";
import { initialFinalizers } from "../volume/volume-finalizer.ts";
import type { CreatedVolume } from "./check-response.ts";
import type { ProvisionRequest } from "./provision-request.ts";
import { isReadOnly } from "./request-parameters.ts";

export interface PersistentVolumeOptions {
  readonly driver: { readonly name: string; readonly topology: boolean };
  /** Which run of which provisioner created the volume. */
  readonly identity: string;
  /** Finalizers of other controllers of this process. */
  readonly finalizers: readonly string[];
  /** `--controller-publish-readonly` */
  readonly publishReadOnly: boolean;
  /** The gate `VolumeAttributesClass` */
  readonly attributesClasses: boolean;
}

/** The PersistentVolume for a claim's new volume, bound to the claim and protected from the first moment. */
export function persistentVolume(request: ProvisionRequest, created: CreatedVolume, options: PersistentVolumeOptions): V1PersistentVolume {
  const { claim, class: storageClass, secrets, fsType } = request;
  const { accessModes, volumeMode, volumeAttributesClassName } = claim.spec ?? {};
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const nodeAffinity = options.driver.topology ? nodeAffinityFromTopology(created.accessibleTopology) : undefined;
  const readOnly = options.publishReadOnly && isReadOnly(request.createVolume.volumeCapabilities);
  const finalizers = [...initialFinalizers(storageClass.reclaimPolicy), ...options.finalizers];
  return {
    metadata: {
      name: request.volumeName,
      annotations: {
        [annotation.provisionedBy]: storageClass.provisioner,
        [annotation.deletionSecretName]: secrets.provisioner?.name ?? "",
        [annotation.deletionSecretNamespace]: secrets.provisioner?.namespace ?? "",
        ...(secrets.controllerModify && {
          [annotation.modifySecretName]: secrets.controllerModify.name,
          [annotation.modifySecretNamespace]: secrets.controllerModify.namespace,
        }),
      },
      ...(finalizers.length > 0 && { finalizers }),
    },
    spec: {
      accessModes: [...(accessModes ?? [])],
      capacity: { storage: formatBytes(created.bytes) },
      claimRef: { kind: "PersistentVolumeClaim", apiVersion: "v1", name, namespace, uid, resourceVersion },
      csi: {
        driver: options.driver.name,
        volumeHandle: created.id,
        ...(readOnly && { readOnly }),
        ...(volumeMode !== "Block" && fsType !== "" && { fsType }),
        volumeAttributes: { [identityAttribute]: options.identity, ...created.context },
        ...reference("controllerPublishSecretRef", secrets.controllerPublish),
        ...reference("nodeStageSecretRef", secrets.nodeStage),
        ...reference("nodePublishSecretRef", secrets.nodePublish),
        ...reference("controllerExpandSecretRef", secrets.controllerExpand),
        ...reference("nodeExpandSecretRef", secrets.nodeExpand),
      },
      ...(storageClass.mountOptions && { mountOptions: [...storageClass.mountOptions] }),
      ...(nodeAffinity && { nodeAffinity }),
      ...(storageClass.reclaimPolicy && { persistentVolumeReclaimPolicy: storageClass.reclaimPolicy }),
      storageClassName: storageClass.metadata.name,
      ...(options.attributesClasses && volumeAttributesClassName && { volumeAttributesClassName }),
      ...(volumeMode && { volumeMode }),
    },
  };
}

function reference<K extends string>(key: K, ref: SecretRef | undefined): { readonly [P in K]?: SecretRef } {
  return ref ? ({ [key]: { ...ref } } as { readonly [P in K]: SecretRef }) : {};
}
