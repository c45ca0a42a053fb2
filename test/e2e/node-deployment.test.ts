import { expect, test } from "bun:test";
import { CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, StorageClass } from "@csi-sidecars/kube";
import { presets } from "@csi-sidecars/testcluster";
import { binary } from "./testing/binary.ts";
import type { SidecarProcess } from "./testing/sidecar-process.ts";
import { until } from "./testing/until.ts";
import { startE2eWorld, type World } from "./testing/world.ts";

const namespace = "default";
const nodeKey = "topology.example.com/node";
const selectedNode = "volume.kubernetes.io/selected-node";
const GiB = 2n ** 30n;
const nodes = ["node-a", "node-b", "node-c"];
const capabilities = {
  ...presets.minimal,
  plugin: ["CONTROLLER_SERVICE", "VOLUME_ACCESSIBILITY_CONSTRAINTS"],
  controller: ["CREATE_DELETE_VOLUME", "GET_CAPACITY"],
} as const;
const flags = [
  ...["--controllers=provisioner", "--node-deployment", "--retry-interval-start=100ms"],
  ...["--provisioner-enable-capacity", "--provisioner-capacity-ownerref-level=-1", "--provisioner-capacity-poll-interval=1s"],
  ...["--provisioner-node-deployment-base-delay=300ms", "--provisioner-node-deployment-max-delay=1s"],
];

/** A node's driver and provisioner. */
interface NodeWorld {
  readonly name: string;
  readonly world: World;
  start(): SidecarProcess;
}

/** One driver with its own disk and one provisioner for each node, with the roles that the program prints for itself. */
async function startNodes(first: World, roomBytes: bigint): Promise<readonly NodeWorld[]> {
  const roles = (user: string) => Bun.spawnSync([binary(), "rbac", ...flags, `--name-prefix=${user}`]).stdout.toString();
  const { kubeconfig } = await first.account(roles);
  return Promise.all(
    nodes.map(async (name) => {
      const world = await first.beside({ capabilities, nodeId: name, topology: { [nodeKey]: name }, poolBytes: roomBytes });
      const env = { NODE_NAME: name, NAMESPACE: namespace };
      return { name, world, start: () => world.start(name, [...flags, `--kubeconfig=${kubeconfig}`], { env }) };
    }),
  );
}

test("competing provisioners give every claim one volume on one node; killed ones leave neither pending claims nor duplicate objects", async () => {
  await using world = await startE2eWorld({ cluster: { storageControllers: true, nodes: false }, driver: { started: false } });
  const { admin } = world.cluster;
  await admin.create(StorageClass, { metadata: { name: "local" }, provisioner: "driver.example.com", volumeBindingMode: "Immediate" });
  await admin.create(StorageClass, {
    metadata: { name: "late" },
    provisioner: "driver.example.com",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  const all = await startNodes(world, 4n * GiB);
  const volumes = () => all.flatMap((node) => [...node.world.driver.volumes.values()].map(({ name }) => ({ name, node: node.name })));
  const objects = async () => {
    const { items } = await admin.list(CSIStorageCapacity, { namespace });
    return items.map(({ nodeTopology, capacity }) => `${nodeTopology?.matchLabels?.[nodeKey]} ${capacity}`).sort();
  };
  const processes = all.map((node) => node.start());
  await until("each node's capacity", async () => (await objects()).join() === "node-a 4Gi,node-b 4Gi,node-c 4Gi");

  // As much as there is: each node must take its part, and none may take what another has.
  const claims = Array.from({ length: 12 }, (_, index) => `data-${index}`);
  for (const name of claims) {
    await admin.create(PersistentVolumeClaim, {
      metadata: { name, namespace },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "local" },
    });
  }
  await until("some volumes", () => volumes().length >= 3);
  await processes[0]?.end("SIGKILL");
  processes[0] = all[0]!.start();
  await until(
    "all claims to be bound",
    async () => (await admin.list(PersistentVolumeClaim, { namespace })).items.every(({ status }) => status?.phase === "Bound"),
    60_000,
  );

  expect(new Set(volumes().map(({ name }) => name)).size).toBe(claims.length);
  expect(volumes()).toHaveLength(claims.length);
  const placeOf = new Map(volumes().map(({ name, node }) => [name, node]));
  for (const { metadata, spec } of (await admin.list(PersistentVolumeClaim, { namespace })).items) {
    expect(metadata?.annotations?.[selectedNode]).toBe(placeOf.get(spec?.volumeName ?? ""));
  }
  await until("full nodes", async () => (await objects()).join() === "node-a 0,node-b 0,node-c 0");

  for (const [index, node] of all.entries()) {
    await processes[index]?.end("SIGKILL");
    processes[index] = node.start();
  }
  for (const name of claims) await admin.delete(PersistentVolumeClaim, { namespace, name });
  await until("all volumes to be deleted", async () => volumes().length === 0 && (await admin.list(PersistentVolume)).items.length === 0);
  await until("empty nodes", async () => (await objects()).join() === "node-a 4Gi,node-b 4Gi,node-c 4Gi");
  for (const node of all) expect(node.world.driver.overlaps()).toEqual([]);
  for (const process of processes) expect(await process.end()).toBe(0);
}, 120_000);
