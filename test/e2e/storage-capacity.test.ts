import { describe, expect, test } from "bun:test";
import { Code, GrpcError } from "@csi-sidecars/csi";
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  Event,
  mergePatch,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  type V1PersistentVolumeClaim,
} from "@csi-sidecars/kube";
import { presets, type Request, step } from "@csi-sidecars/testcluster";
import { type PodScheduler, podScheduler } from "./testing/pod-scheduler.ts";
import { publishedProvisionerRoles } from "./testing/published-roles.ts";
import { until } from "./testing/until.ts";
import { startE2eWorld, type World } from "./testing/world.ts";

const namespace = "default";
const driverName = "driver.example.com";
const nodeKey = "topology.example.com/node";
const selectedNode = "volume.kubernetes.io/selected-node";
const GiB = 2n ** 30n;
const capabilities = {
  ...presets.minimal,
  plugin: ["CONTROLLER_SERVICE", "VOLUME_ACCESSIBILITY_CONSTRAINTS"],
  controller: ["CREATE_DELETE_VOLUME", "GET_CAPACITY"],
} as const;

/** Bytes that are free on each node: as local disks, one driver for all. */
type Rooms = Record<string, bigint>;

async function startWorld(rooms: Rooms): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const world = await startE2eWorld({ cluster: { storageControllers: true }, driver: { name: driverName, capabilities } });
  opened.use(world);
  const { admin } = world.cluster;
  const placeOf = (request: Request<"CreateVolume">) => request.accessibilityRequirements?.preferred[0]?.segments[nodeKey] ?? "";
  world.driver.always(
    "GetCapacity",
    step.reply(({ accessibleTopology }: Request<"GetCapacity">) => ({
      availableCapacity: rooms[accessibleTopology?.segments[nodeKey] ?? ""] ?? 0n,
    })),
  );
  world.driver.always(
    "CreateVolume",
    step.reply((request: Request<"CreateVolume">, carryOut) => {
      const node = placeOf(request);
      const left = (rooms[node] ?? 0n) - (request.capacityRange?.requiredBytes ?? 0n);
      if (left < 0n) throw new GrpcError(Code.ResourceExhausted, `the disk of ${node} is full`);
      rooms[node] = left;
      return carryOut();
    }),
  );
  await admin.create(CSIDriver, { metadata: { name: driverName }, spec: { storageCapacity: true, attachRequired: false } });
  for (const name of Object.keys(rooms)) {
    await admin.create(Node, { metadata: { name, labels: { [nodeKey]: name } } });
    const allocatable = { cpu: "8", memory: "16Gi", pods: "110" };
    await admin.patch(Node, { name }, mergePatch({ status: { capacity: allocatable, allocatable } }), { subresource: "status" });
    await admin.create(CSINode, { metadata: { name }, spec: { drivers: [{ name: driverName, nodeID: name, topologyKeys: [nodeKey] }] } });
  }
  await admin.create(StorageClass, { metadata: { name: "local" }, provisioner: driverName, volumeBindingMode: "WaitForFirstConsumer" });
  opened.move();
  return world;
}

/** Upstream's program, flags and roles; the next poll is an hour away. Answers its user. */
async function startProvisioner(world: World): Promise<string> {
  const account = await world.account(publishedProvisionerRoles);
  // Not for the scheduler: it stands for the pod that the provisioner runs in.
  await world.cluster.admin.create(Pod, {
    metadata: { name: "provisioner-0", namespace },
    spec: { schedulerName: "none", containers: [{ name: "c", image: "i" }] },
  });
  const flags = ["--enable-capacity", "--capacity-poll-interval=1h", "--capacity-ownerref-level=0", "--retry-interval-start=100ms"];
  world.start("provisioner-0", [...flags, `--kubeconfig=${account.kubeconfig}`], {
    program: "csi-provisioner",
    env: { NAMESPACE: namespace },
  });
  return account.name;
}

/** How much each node has, as published. */
async function published(world: World): Promise<Record<string, string>> {
  const { items } = await world.cluster.admin.list(CSIStorageCapacity, { namespace });
  const entries = items.map(({ nodeTopology, capacity }) => [nodeTopology?.matchLabels?.[nodeKey] ?? "", String(capacity)] as const);
  expect(new Set(entries.map(([node]) => node)).size).toBe(entries.length);
  return Object.fromEntries(entries.sort());
}

const untilPublished = (world: World, expected: Record<string, string>) =>
  until(`the capacities ${JSON.stringify(expected)}`, async () => Bun.deepEquals(await published(world), expected));

/** Runs on nodes that no kubelet has called ready, on node-a if it can. */
const placement = {
  tolerations: [{ operator: "Exists" as const }],
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, preference: { matchExpressions: [{ key: nodeKey, operator: "In" as const, values: ["node-a"] }] } },
      ],
    },
  },
};

/** A pod with a claim of its own; where it went. */
async function run(
  world: World,
  { name: schedulerName }: PodScheduler,
  name: string,
): Promise<{ readonly node: string; readonly claim: V1PersistentVolumeClaim }> {
  const { admin } = world.cluster;
  await admin.create(PersistentVolumeClaim, {
    metadata: { name, namespace },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "local" },
  });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: name } }];
  const spec = { ...placement, schedulerName, volumes, containers: [{ name: "c", image: "i" }] };
  await admin.create(Pod, { metadata: { name, namespace }, spec });
  const pod = await until(`the pod ${name} to run`, async () => {
    const found = await admin.get(Pod, { namespace, name });
    return found.status?.phase === "Running" && found;
  });
  return { node: pod.spec?.nodeName ?? "", claim: await admin.get(PersistentVolumeClaim, { namespace, name }) };
}

const placesAsked = (world: World) =>
  world.driver.calls("CreateVolume").map(({ request }) => request.accessibilityRequirements?.preferred[0]?.segments[nodeKey]);

async function refused(world: World, user: string): Promise<readonly string[]> {
  const requests = await world.cluster.requests({ user });
  return requests.filter(({ code }) => code >= 400).map(({ verb, resource, code }) => `${verb} ${resource} ${code}`);
}

describe("a claim that waits for its pod", () => {
  test("is scheduled to the one node of three that has enough capacity", async () => {
    await using world = await startWorld({ "node-a": 0n, "node-b": 10n * GiB, "node-c": GiB / 2n });
    await using scheduler = await podScheduler(world);
    const user = await startProvisioner(world);
    await untilPublished(world, { "node-a": "0", "node-b": "10Gi", "node-c": "512Mi" });
    const { node, claim } = await run(world, scheduler, "web");
    expect(node).toBe("node-b");
    expect(claim.metadata?.annotations?.[selectedNode]).toBe("node-b");
    expect(placesAsked(world)).toEqual(["node-b"]);
    const volume = await world.cluster.admin.get(PersistentVolume, { name: claim.spec?.volumeName ?? "" });
    expect(volume.spec?.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: nodeKey, operator: "In", values: ["node-b"] }] },
    ]);
    await untilPublished(world, { "node-a": "0", "node-b": "9Gi", "node-c": "512Mi" });
    const { items } = await world.cluster.admin.list(CSIStorageCapacity, { namespace });
    for (const { metadata } of items) {
      expect(metadata?.ownerReferences).toMatchObject([{ apiVersion: "v1", kind: "Pod", name: "provisioner-0", controller: true }]);
    }
    expect(await refused(world, user)).toEqual([]);
  });

  test("is rescheduled when the selected node is full; later claims do not try that node again", async () => {
    const rooms: Rooms = { "node-a": 10n * GiB, "node-b": 10n * GiB, "node-c": 0n };
    await using world = await startWorld(rooms);
    await using scheduler = await podScheduler(world);
    const user = await startProvisioner(world);
    await untilPublished(world, { "node-a": "10Gi", "node-b": "10Gi", "node-c": "0" });
    // The disk fills up before the next poll of its capacity.
    rooms["node-a"] = 0n;
    const { node, claim } = await run(world, scheduler, "web");
    expect(node).toBe("node-b");
    expect(claim.metadata?.annotations?.[selectedNode]).toBe("node-b");
    const tried = placesAsked(world);
    expect([tried[0], new Set(tried), tried.at(-1)]).toEqual(["node-a", new Set(["node-a", "node-b"]), "node-b"]);
    await untilPublished(world, { "node-a": "0", "node-b": "9Gi", "node-c": "0" });
    const { items: events } = await world.cluster.admin.list(Event, { namespace });
    expect(events.map(({ reason, message }) => `${reason}: ${message}`)).toContainEqual(
      expect.stringMatching(/^ProvisioningFailed: .*ResourceExhausted.*the disk of node-a is full/),
    );
    // Everything but its capacity speaks for node-a.
    expect((await run(world, scheduler, "db")).node).toBe("node-b");
    expect(placesAsked(world)).toEqual([...tried, "node-b"]);
    expect(world.driver.volumes.size).toBe(2);
    expect(await refused(world, user)).toEqual([]);
  });
});

test("a provisioner without the NAMESPACE for its objects says so and exits", async () => {
  await using world = await startWorld({ "node-a": GiB });
  const { kubeconfig } = await world.account(publishedProvisionerRoles);
  const provisioner = world.start("provisioner-0", ["--enable-capacity", `--kubeconfig=${kubeconfig}`], { program: "csi-provisioner" });
  await provisioner.logged("need NAMESPACE env variable for CSIStorageCapacity objects");
  expect(await provisioner.exit()).toBe(1);
});
