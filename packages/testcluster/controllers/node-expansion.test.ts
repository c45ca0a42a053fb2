import { afterAll, expect, test } from "bun:test";
import { until as eventually } from "@csi-sidecars/base/testing";
import { mergePatch, PersistentVolume, PersistentVolumeClaim, Pod, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { stopSharedClusters } from "../cluster/start-cluster.ts";
import type { NodeExpansionFailure } from "./kubelet/expansion-failure.ts";
import { creating, inDefault } from "./testing/manifests.ts";
import { startStorageCluster } from "./testing/storage-cluster.ts";

afterAll(stopSharedClusters);

type Status = NonNullable<V1PersistentVolumeClaim["status"]>;
const conditions: Status["conditions"] = [{ type: "FileSystemResizePending", status: "True" }];
const allocated = (storage: string, state: "ControllerResizeInProgress" | "NodeResizePending"): Partial<Status> => ({
  allocatedResources: { storage },
  allocatedResourceStatuses: { storage: state },
});

/** The claim `data` of 1Gi, bound to the volume `disk`, on the nodes `n1` and `n2`, and a test in the place of the resizer. */
async function startWorld({ shared = false } = {}) {
  const calls: string[] = [];
  const answers: NodeExpansionFailure[] = [];
  const duringCall: (() => Promise<unknown>)[] = [];
  const cluster = await startStorageCluster({
    hooks: {
      expand: async ({ volume, node, size }) => {
        calls.push(`${volume.metadata.name} ${node} ${size}`);
        await duringCall.shift()?.();
        return answers.shift();
      },
    },
  });
  const { client, until, untilGone } = cluster;
  const create = creating(cluster);
  const accessModes = [shared ? ("ReadWriteMany" as const) : ("ReadWriteOnce" as const)];
  await create.storageClass("fast");
  await create.driver(false);
  for (const node of ["n1", "n2"]) await create.node(node);
  await create.volume("disk", "fast", { accessModes });
  await until(PersistentVolume, { name: "disk" }, (it) => it.status?.phase === "Available");
  await create.claim("data", "fast", { accessModes });
  const untilClaim = (is: (status: Status) => unknown) => until(PersistentVolumeClaim, inDefault("data"), ({ status = {} }) => is(status));
  await untilClaim(({ phase }) => phase === "Bound");
  const request = (storage: string) =>
    client.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ spec: { resources: { requests: { storage } } } }));
  const growVolume = (storage: string) => client.patch(PersistentVolume, { name: "disk" }, mergePatch({ spec: { capacity: { storage } } }));
  const setStatus = (status: object, metadata = {}) =>
    client.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ metadata, status }), { subresource: "status" });
  return {
    ...cluster,
    calls,
    /** How the next calls fail. */
    answers,
    /** What happens while the next calls are answered. */
    duringCall,
    untilClaim,
    async startPod(name: string, node = "n1") {
      await create.pod(name, ["data"], node);
      await until(Pod, inDefault(name), (it) => it.status?.phase === "Running");
    },
    create,
    async deletePod(name: string) {
      await client.delete(Pod, inDefault(name));
      await untilGone(Pod, inDefault(name));
    },
    request,
    growVolume,
    setStatus,
    /** What the resizer does until it is the node's turn. */
    async expandVolume(storage: string, requested = storage) {
      await request(requested);
      await setStatus(allocated(storage, "ControllerResizeInProgress"));
      await growVolume(storage);
      await setStatus({ conditions, ...allocated(storage, "NodeResizePending") });
    },
    untilCalls: (count: number) => eventually(`${count} calls`, () => calls.length >= count),
  };
}

test("an expansion is left to the external resizer and finished on the node", async () => {
  await using world = await startWorld();
  await world.startPod("app");
  await world.request("2Gi");
  expect(await world.untilEvent("data", "ExternalExpanding")).toBe("waiting for an external controller to expand this PVC");
  await world.expandVolume("2Gi");
  const { status } = await world.untilClaim(({ capacity }) => capacity?.storage === "2Gi");
  expect([status?.allocatedResourceStatuses, status?.conditions]).toEqual([undefined, undefined]);
  expect(status?.allocatedResources).toEqual({ storage: "2Gi" });
  expect(world.calls).toEqual(["disk n1 2Gi"]);
  for (const about of ["data", "app"]) {
    expect(await world.untilEvent(about, "FileSystemResizeSuccessful")).toBe('MountVolume.NodeExpandVolume succeeded for volume "disk" n1');
  }
});

test("a node does nothing while it is the resizer's turn", async () => {
  await using world = await startWorld();
  await world.startPod("app");
  await world.request("2Gi");
  await world.setStatus(allocated("2Gi", "ControllerResizeInProgress"));
  await world.growVolume("2Gi");
  // A second pod is started with the same view of the claim.
  await world.startPod("witness");
  expect(world.calls).toEqual([]);
  await world.setStatus(allocated("2Gi", "NodeResizePending"));
  await world.untilClaim(({ capacity }) => capacity?.storage === "2Gi");
  expect(world.calls).toEqual(["disk n1 2Gi"]);
});

test("a size that is infeasible on the node is the resizer's again, which may turn to another", async () => {
  await using world = await startWorld();
  await world.startPod("app");
  world.answers.push({ result: "infeasible", message: "no room" });
  await world.expandVolume("3Gi");
  const { status } = await world.untilClaim((now) => now.allocatedResourceStatuses?.storage === "NodeResizeInfeasible");
  expect(status?.conditions).toMatchObject([
    { type: "NodeResizeError", message: "failed to expand pvc with no room" },
    { type: "FileSystemResizePending" },
  ]);
  expect(status?.capacity?.storage).toBe("1Gi");
  const failed = 'NodeExpandVolume.NodeExpandVolume failed for volume "disk" : no room';
  expect(await world.untilEvent("app", "VolumeResizeFailed")).toBe(failed);
  await world.request("2Gi");
  await world.setStatus(allocated("2Gi", "NodeResizePending"));
  await world.untilClaim(({ capacity }) => capacity?.storage === "2Gi");
  expect(world.calls).toEqual(["disk n1 3Gi", "disk n1 2Gi"]);
});

test("other errors are retried, and given up once the user asks for another size", async () => {
  await using world = await startWorld();
  await world.startPod("app");
  world.answers.push({ result: "failed", message: "first" }, { result: "failed", message: "second" });
  await world.expandVolume("2Gi", "3Gi");
  const { status } = await world.untilClaim((now) => now.allocatedResourceStatuses?.storage === "NodeResizeInfeasible");
  expect(status?.conditions).toMatchObject([{ message: "failed to expand pvc with first" }, { type: "FileSystemResizePending" }]);
  expect(world.calls).toEqual(["disk n1 2Gi", "disk n1 2Gi"]);
});

test("a driver that cannot expand mounted volumes is called again when the next pod mounts it", async () => {
  await using world = await startWorld();
  await world.startPod("app");
  world.answers.push({ result: "in-use", message: "in use" });
  await world.expandVolume("2Gi");
  await world.untilClaim((now) => now.conditions?.some(({ type }) => type === "NodeResizeError"));
  await world.setStatus({ conditions: [...(conditions ?? []), { type: "example.com/Touched", status: "True" }] });
  await world.deletePod("app");
  expect(world.calls).toEqual(["disk n1 2Gi"]);
  await world.startPod("next");
  const { status } = await world.untilClaim(({ capacity }) => capacity?.storage === "2Gi");
  expect(status?.conditions).toMatchObject([{ type: "example.com/Touched" }]);
  expect(world.calls).toEqual(["disk n1 2Gi", "disk n1 2Gi"]);
  await world.expandVolume("3Gi");
  await world.untilClaim(({ capacity }) => capacity?.storage === "3Gi");
});

test("a claim that is written during the call is not finished over that write", async () => {
  await using world = await startWorld();
  await world.startPod("app");
  world.duringCall.push(() => world.setStatus({ conditions: [{ type: "example.com/Touched", status: "True" }] }));
  await world.expandVolume("2Gi");
  const { status } = await world.untilClaim(({ capacity }) => capacity?.storage === "2Gi");
  expect(status?.conditions).toMatchObject([{ type: "example.com/Touched" }]);
  expect(world.calls).toEqual(["disk n1 2Gi", "disk n1 2Gi"]);
});

test("a pod starts after its volume is expanded, also if that takes several attempts", async () => {
  await using world = await startWorld();
  await world.expandVolume("2Gi");
  world.answers.push({ result: "failed", message: "busy" });
  await world.startPod("app");
  const { status } = await world.client.get(PersistentVolumeClaim, inDefault("data"));
  expect([status?.capacity?.storage, status?.conditions]).toEqual(["2Gi", undefined]);
  expect(await world.untilEvent("app", "FailedMount")).toBe('MountVolume.Setup failed while expanding volume for volume "disk" : busy');
  expect(world.calls).toEqual(["disk n1 2Gi", "disk n1 2Gi"]);
});

test("a resizer without recovery leaves it to the node to see the larger volume", async () => {
  await using world = await startWorld();
  await world.startPod("app");
  await world.request("2Gi");
  await world.setStatus({ conditions });
  await world.growVolume("2Gi");
  const { status } = await world.untilClaim(({ capacity }) => capacity?.storage === "2Gi");
  expect([status?.conditions, status?.allocatedResourceStatuses, status?.allocatedResources]).toEqual([undefined, undefined, undefined]);
  expect(world.calls).toEqual(["disk n1 2Gi"]);
});

test("a shared volume is expanded on every node, unless the driver needs none", async () => {
  await using world = await startWorld({ shared: true });
  await world.startPod("first", "n1");
  await world.startPod("second", "n2");
  await world.expandVolume("2Gi");
  await world.untilClaim(({ capacity }) => capacity?.storage === "2Gi");
  await world.untilCalls(2);
  expect(new Set(world.calls)).toEqual(new Set(["disk n1 2Gi", "disk n2 2Gi"]));
  const before = world.calls.length;

  await world.request("3Gi");
  await world.setStatus(
    { capacity: { storage: "3Gi" }, allocatedResources: { storage: "3Gi" } },
    { annotations: { "volume.kubernetes.io/node-expansion-not-required": "true" } },
  );
  await world.growVolume("3Gi");
  // A third pod is started with the same view of the claim.
  await world.startPod("witness", "n2");
  expect(world.calls).toHaveLength(before);
});

test("a pod that only reads does not expand", async () => {
  await using world = await startWorld();
  await world.expandVolume("2Gi");
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data", readOnly: true } }];
  await world.client.create(Pod, {
    metadata: inDefault("reader"),
    spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }], volumes },
  });
  await world.until(Pod, inDefault("reader"), (it) => it.status?.phase === "Running");
  expect(await world.untilEvent("reader", "FileSystemResizeFailed")).toBe(
    'MountVolume.NodeExpandVolume failed for volume "disk" requested read-only file system',
  );
  expect(world.calls).toEqual([]);
});
