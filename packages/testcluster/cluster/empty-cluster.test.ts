import { expect, test } from "bun:test";
import { type Client, isNotFound, type Resource, resource } from "@csi-sidecars/kube";
import { builtInKinds } from "../kinds/built-in.ts";
import { startCluster } from "./start-cluster.ts";

const kinds = builtInKinds
  .filter(({ viewOf }) => !viewOf)
  .map(({ group, version, plural, kind, namespaced }) => resource(group ? `${group}/${version}` : version, plural, kind, { namespaced }));
const Parcel = resource("example.com/v1", "parcels", "Parcel", { namespaced: true });

const labels = { app: "left" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const jobSpec = { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } };
const selector = { matchLabels: labels };
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "left" };
const volumeSpec = { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, csi: { driver: "d.example.com", volumeHandle: "h" } };

/** What the kinds want to have beside a name. */
const members: Readonly<Record<string, object>> = {
  PersistentVolumeClaim: {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "left" },
  },
  PersistentVolume: { spec: volumeSpec },
  Pod: { spec: template.spec },
  Service: { spec: { ports: [{ port: 80 }] } },
  Event: { involvedObject: { kind: "Node", name: "left", namespace: "default" }, reason: "Left" },
  DaemonSet: { spec: { selector, template } },
  Deployment: { spec: { selector, template } },
  ReplicaSet: { spec: { selector, template } },
  StatefulSet: { spec: { selector, template, serviceName: "left" } },
  Job: { spec: jobSpec },
  CronJob: { spec: { schedule: "@daily", jobTemplate: { spec: jobSpec } } },
  ClusterRoleBinding: { roleRef },
  RoleBinding: { roleRef },
  CSIDriver: { spec: {} },
  CSINode: { spec: { drivers: [] } },
  CSIStorageCapacity: { storageClassName: "left" },
  StorageClass: { provisioner: "d.example.com" },
  VolumeAttachment: { spec: { attacher: "d.example.com", nodeName: "left", source: { persistentVolumeName: "left" } } },
  VolumeAttributesClass: { driverName: "d.example.com", parameters: { a: "b" } },
  CustomResourceDefinition: {
    metadata: { name: "parcels.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "parcels", singular: "parcel", kind: "Parcel", listKind: "ParcelList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  },
};

test("what a test leaves behind is gone for the next one: every kind, whatever holds it, and a custom kind with its objects", async () => {
  const seen: string[][] = [];
  for (let tests = 0; tests < 2; tests++) {
    await using cluster = await startCluster();
    const { admin } = cluster;
    seen.push(await leftIn(admin));
    for (const kind of kinds) await leave(admin, kind, members[kind.kind]);
    await until(() => leave(admin, Parcel, {}));
    expect(await leftIn(admin)).toHaveLength(kinds.length + 1);
  }
  expect(seen).toEqual([[], []]);
});

async function leave(admin: Client, kind: Resource, rest: object = {}): Promise<void> {
  const metadata = { name: "left", labels, ...(kind.namespaced && { namespace: "default" }), finalizers: ["example.com/hold"] };
  const name = "metadata" in rest ? rest.metadata : {};
  await admin.create(kind, { ...rest, metadata: { ...metadata, ...Object(name) } });
}

async function leftIn(admin: Client): Promise<string[]> {
  const custom = (await admin.discover("example.com/v1")) ? [Parcel] : [];
  const lists = await Promise.all([...kinds, ...custom].map((kind) => admin.list(kind, { labelSelector: "app=left" })));
  return lists.flatMap(({ items }) => items.map(({ metadata }) => `${metadata?.name}`));
}

/** A kind that was just defined is served a moment later. */
async function until(created: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + 20_000; ; await Bun.sleep(20)) {
    try {
      return await created();
    } catch (error) {
      if (!isNotFound(error) || Date.now() > end) throw error;
    }
  }
}
