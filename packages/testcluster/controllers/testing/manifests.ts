import {
  CSIDriver,
  CSINode,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
} from "@csi-sidecars/kube";
import { annotation } from "../annotations.ts";
import type { StorageCluster } from "./storage-cluster.ts";

export const driver = "csi.example.com";
export const inDefault = (name: string) => ({ namespace: "default", name });

type ClaimSpec = NonNullable<V1PersistentVolumeClaim["spec"]>;
type VolumeSpec = NonNullable<V1PersistentVolume["spec"]>;

/** Creates the objects of a scenario. */
export const creating = ({ client }: Pick<StorageCluster, "client">) => ({
  namespace: (name: string) => client.create(Namespace, { metadata: { name } }),
  storageClass: (name: string, late = false) =>
    client.create(StorageClass, {
      metadata: { name },
      provisioner: driver,
      allowVolumeExpansion: true,
      volumeBindingMode: late ? "WaitForFirstConsumer" : "Immediate",
    }),
  claim: (name: string, storageClassName: string, spec: Partial<ClaimSpec> = {}) =>
    client.create(PersistentVolumeClaim, {
      metadata: inDefault(name),
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName, ...spec },
    }),
  volume: (name: string, storageClassName: string, spec: Partial<VolumeSpec> = {}, metadata: V1PersistentVolume["metadata"] = {}) =>
    client.create(PersistentVolume, {
      metadata: { name, ...metadata },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        storageClassName,
        persistentVolumeReclaimPolicy: "Delete",
        csi: { driver, volumeHandle: `handle-of-${name}` },
        ...spec,
      },
    }),
  /** Creates the volume of a claim, as the external provisioner does. */
  provisioned(claim: V1PersistentVolumeClaim, spec: Partial<VolumeSpec> = {}) {
    const { name = "", namespace, uid } = claim.metadata ?? {};
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid };
    const annotations = { "pv.kubernetes.io/provisioned-by": driver };
    return this.volume(`pvc-${uid}`, claim.spec?.storageClassName ?? "", { claimRef, ...spec }, { annotations });
  },
  async node(name: string) {
    const labels = { "topology.example.com/node": name };
    await client.create(Node, {
      metadata: { name, labels, annotations: { [annotation.managedAttach]: "true" } },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
    await client.create(CSINode, {
      metadata: { name },
      spec: { drivers: [{ name: driver, nodeID: name, topologyKeys: ["topology.example.com/node"] }] },
    });
  },
  driver: (attachRequired: boolean) => client.create(CSIDriver, { metadata: { name: driver }, spec: { attachRequired } }),
  pod: (name: string, claims: readonly string[], nodeName?: string) =>
    client.create(Pod, {
      metadata: inDefault(name),
      spec: {
        ...(nodeName !== undefined && { nodeName }),
        containers: [{ name: "main", image: "app" }],
        volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
      },
    }),
});
