import { describe, expect, test } from "bun:test";
import { attacher } from "@csi-sidecars/attacher";
import { until } from "@csi-sidecars/base/testing";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import type { Component } from "@csi-sidecars/host";
import {
  CSINode,
  CSIStorageCapacity,
  mergePatch,
  Node,
  PersistentVolumeClaim,
  resource,
  StorageClass,
  type V1CSIStorageCapacity,
  VolumeAttributesClass,
} from "@csi-sidecars/kube";
import { provisioner } from "@csi-sidecars/provisioner";
import { resizer } from "@csi-sidecars/resizer";
import { snapshotter } from "@csi-sidecars/snapshotter";
import { type ClusterOptions, installDefinitions, startCluster, startComponent, startScriptedDriver } from "@csi-sidecars/testcluster";
import { volumeDataSourceValidator } from "@csi-sidecars/volume-data-source-validator";

const driverName = "csi.example.com";
const claimName = { namespace: "default", name: "data" };
const controllers: readonly Component[] = [provisioner, resizer, snapshotter];
const zone = { "topology.example.com/zone": "a" };
const fast = ["--retry-interval-start=10ms", "--retry-interval-max=100ms", "--kube-api-qps=-1"];

/** Attacher, provisioner, resizer and snapshotter in one process, for a driver that can do everything, beside an older API server. */
async function startFour(older: ClusterOptions["older"], flags: readonly string[] = [], definitions: ClusterOptions["definitions"] = []) {
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await startCluster({ older: older ?? {}, definitions, storageControllers: true, nodes: false }));
  const driver = opened.use(await startScriptedDriver({ name: driverName, capabilities: "full", topology: zone }));
  const { admin } = cluster;
  await admin.create(Node, { metadata: { name: "node-1", labels: zone } });
  await admin.create(CSINode, {
    metadata: { name: "node-1" },
    spec: { drivers: [{ name: driverName, nodeID: "node-1", topologyKeys: Object.keys(zone) }] },
  });
  const env = { NAMESPACE: "default" };
  const run = opened.use(await startComponent(attacher, { cluster, driver, beside: controllers, flags: [...fast, ...flags], env }));
  await admin.create(StorageClass, { metadata: { name: "fast" }, provisioner: driverName, allowVolumeExpansion: true });
  const keep = opened.move();
  return { ...{ cluster, admin, driver, run }, [Symbol.asyncDispose]: () => keep.disposeAsync() };
}

type World = Awaited<ReturnType<typeof startFour>>;

/** Provisions a volume, and lets it grow. */
async function useVolume({ admin, driver }: World): Promise<void> {
  await admin.create(PersistentVolumeClaim, {
    metadata: claimName,
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" },
  });
  await until("the claim to be bound", async () => (await admin.get(PersistentVolumeClaim, claimName)).status?.phase === "Bound");
  await admin.patch(PersistentVolumeClaim, claimName, mergePatch({ spec: { resources: { requests: { storage: "2Gi" } } } }));
  await driver.called("ControllerExpandVolume");
}

/** How often the process asked for a resource, by verb. */
async function asked({ run }: World, plural: string): Promise<readonly string[]> {
  const requests = await run.requests();
  return [...new Set(requests.filter((request) => request.resource === plural).map(({ verb }) => verb))].sort();
}

describe("an API server without", () => {
  test("VolumeAttributesClass switches modifying off, and asks for none", async () => {
    await using world = await startFour({ without: [VolumeAttributesClass] });
    await useVolume(world);
    expect(await asked(world, "volumeattributesclasses")).toEqual([]);
    expect(world.run.output()).toContain('features="VolumeAttributesClass"');
    await using newer = await startFour({});
    await useVolume(newer);
    expect(await asked(newer, "volumeattributesclasses")).toContain("watch");
  });

  test("watches that begin with a list is listed, then watched", async () => {
    // The look into the history of deleted claims is a watch of its own.
    await using world = await startFour({ watchList: false }, ["--provisioner-cleanup-orphaned-volumes=false"]);
    await useVolume(world);
    const requests = await world.run.requests();
    const watches = requests.filter(({ resource, watch }) => watch && resource === "persistentvolumeclaims");
    expect(watches.map(({ query, code }) => [query.includes("sendInitialEvents"), code])).toEqual([
      [true, 422],
      [false, 200],
    ]);
    expect(await asked(world, "persistentvolumeclaims")).toContain("list");
  });

  test("the kinds of snapshots lets the snapshotter wait for them, and the others work", async () => {
    await using world = await startFour({});
    await useVolume(world);
    await until("the message", () => world.run.output().includes("Waiting for CustomResourceDefinitions to be installed"));
    expect([...(await asked(world, "volumesnapshots")), ...(await asked(world, "volumesnapshotcontents"))]).toEqual([]);
    await installDefinitions(world.admin, snapshotDefinitions.slice(0, 3));
    await until("the watch", async () => (await asked(world, "volumesnapshotcontents")).includes("watch"));
    expect(await asked(world, "volumegroupsnapshotcontents")).toEqual([]);
  });

  test("VolumePopulator lets the validator wait for it", async () => {
    await using cluster = await startCluster({ older: {} });
    await using run = await startComponent(volumeDataSourceValidator, { cluster });
    await until("the message", () => run.output().includes("Waiting for CustomResourceDefinitions to be installed"));
    expect((await run.requests()).filter(({ resource }) => resource === "volumepopulators")).toEqual([]);
  });
});

describe("storage capacity", () => {
  const flags = [
    "--enable-capacity",
    "--capacity-for-immediate-binding",
    "--capacity-ownerref-level=-1",
    "--provisioner-kube-api-capacity-qps=100",
  ];
  const beta = resource<V1CSIStorageCapacity>("storage.k8s.io/v1beta1", "csistoragecapacities", "CSIStorageCapacity", { namespaced: true });

  test("is published in v1beta1 where there is no v1", async () => {
    await using world = await startFour({ onlyBeta: [CSIStorageCapacity] }, flags);
    const published = async () => (await world.admin.list(beta, { namespace: "default" })).items;
    await until("an object", async () => (await published()).length === 1);
    expect(await published()).toMatchObject([{ storageClassName: "fast", capacity: expect.any(String) }]);
    await useVolume(world);
  });

  test("that is not served at all is said with the flag to disable; the other controllers go on", async () => {
    await using world = await startFour({ without: [CSIStorageCapacity] }, flags);
    const problem = "the cluster serves no CSIStorageCapacity, neither storage.k8s.io/v1 nor v1beta1: disable --enable-capacity";
    await until("the message", () => world.run.output().includes(problem));
    const page = await (await fetch(`${await world.run.url()}/readyz?verbose`)).text();
    expect(page).toContain("[+]resizer ok (running)");
  });
});
