import type { Kubectl } from "./kubectl.ts";

const driver = "hostpath.csi.example.com";

const object = (apiVersion: string, kind: string, name: string, members: object, metadata: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
  ...members,
});

const here = { namespace: "default" };

/** A volume's whole neighbourhood, as a storage engineer would look at it with kubectl. */
const neighbourhood = {
  apiVersion: "v1",
  kind: "List",
  items: [
    object("v1", "Node", "node-1", { status: { capacity: { cpu: "2", memory: "1Gi", pods: "10" } } }, { labels: { zone: "a" } }),
    object("storage.k8s.io/v1", "CSIDriver", driver, { spec: { attachRequired: true } }),
    object("storage.k8s.io/v1", "CSINode", "node-1", {
      spec: { drivers: [{ name: driver, nodeID: "node-1", topologyKeys: ["zone"], allocatable: { count: 5 } }] },
    }),
    object(
      "storage.k8s.io/v1",
      "StorageClass",
      "fast",
      { provisioner: driver, allowVolumeExpansion: true, parameters: { pool: "ssd" } },
      { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    ),
    object("v1", "PersistentVolume", "pv-1", {
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "fast",
        csi: { driver, volumeHandle: "handle-1", volumeAttributes: { a: "b" } },
        claimRef: { namespace: "default", name: "data" },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }] } },
      },
    }),
    object(
      "v1",
      "PersistentVolumeClaim",
      "data",
      {
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeName: "pv-1", storageClassName: "fast" },
      },
      { ...here, labels: { app: "db" } },
    ),
    object(
      "v1",
      "PersistentVolumeClaim",
      "scratch",
      { spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "512Mi" } } } },
      here,
    ),
    object("storage.k8s.io/v1", "VolumeAttachment", "va-1", {
      spec: { attacher: driver, nodeName: "node-1", source: { persistentVolumeName: "pv-1" } },
    }),
    object(
      "storage.k8s.io/v1",
      "CSIStorageCapacity",
      "capacity-1",
      { storageClassName: "fast", capacity: "10Gi", nodeTopology: { matchLabels: { zone: "a" } } },
      here,
    ),
    object("coordination.k8s.io/v1", "Lease", "leader", { spec: { holderIdentity: "me", leaseDurationSeconds: 15 } }, here),
    object(
      "v1",
      "Pod",
      "db",
      {
        spec: {
          nodeName: "node-1",
          containers: [{ name: "main", image: "db:1", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
          volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
        },
      },
      { ...here, labels: { app: "db" } },
    ),
    object(
      "v1",
      "Event",
      "data.1",
      {
        involvedObject: { apiVersion: "v1", kind: "PersistentVolumeClaim", name: "data", namespace: "default" },
        type: "Normal",
        reason: "Provisioning",
        message: "making a volume",
        source: { component: "provisioner" },
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:00Z",
        count: 2,
      },
      here,
    ),
  ],
};

/** A custom kind with everything that kubectl asks of one. */
export const gadgetDefinition = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "gadgets.example.com", {
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "gadgets", kind: "Gadget", shortNames: ["ga"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A gadget.",
            properties: {
              spec: {
                type: "object",
                description: "What it should be.",
                properties: { size: { type: "integer", description: "How large." } },
              },
              status: {
                type: "object",
                properties: {
                  conditions: {
                    type: "array",
                    items: { type: "object", properties: { type: { type: "string" }, status: { type: "string" } } },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
});

export const gadget = object("example.com/v1", "Gadget", "g1", { spec: { size: 3 } }, here);

/** Puts everything there, as a user would. */
export async function settle(kubectl: Kubectl): Promise<void> {
  kubectl.file("world.json", JSON.stringify(neighbourhood));
  kubectl.file("definition.json", JSON.stringify(gadgetDefinition));
  await kubectl.says("create -f world.json -f definition.json");
  await kubectl.says("wait --for=condition=Established crd/gadgets.example.com --timeout=20s");
  await kubectl.says("create -f -", JSON.stringify(gadget));
}
