import { describe, expect, test } from "bun:test";
import { Code, GrpcError } from "@csi-sidecars/csi";
import { CSINode, CSIStorageCapacity, Node, PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { annotation } from "../names.ts";
import { driverName, inDefault, placing } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld, type WorldOptions } from "../testing/provisioner-world.ts";
import { capacityRules, upstreamRole } from "../testing/upstream-role.ts";

const zone = "topology.example.com/zone";
const { selectedNode } = annotation;
const withTopology: WorldOptions = { driver: { capabilities: placing } };

async function addNode(world: ProvisionerWorld, name: string, inZone: string): Promise<void> {
  await world.create(Node, { metadata: { name, labels: { [zone]: inZone } } });
  await world.create(CSINode, { metadata: { name }, spec: { drivers: [{ name: driverName, nodeID: name, topologyKeys: [zone] }] } });
}

async function scheduledClaim(world: ProvisionerWorld, name: string, node: string): Promise<void> {
  await world.createClaim(name, { storageClassName: "late" }, { annotations: { [selectedNode]: node } });
}

describe("volumes that only some nodes reach", () => {
  test("are made where the selected node is", async () => {
    await using world = await startWorld(withTopology);
    await addNode(world, "node-a", "a");
    await addNode(world, "node-b", "b");
    await world.createClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
    await scheduledClaim(world, "data", "node-b");
    const { volume } = await world.bound("data");
    expect(world.driver.calls("CreateVolume")[0]?.request.accessibilityRequirements).toEqual({
      requisite: [{ segments: { [zone]: "a" } }, { segments: { [zone]: "b" } }],
      preferred: [{ segments: { [zone]: "b" } }, { segments: { [zone]: "a" } }],
    });
    expect(volume.spec?.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: zone, operator: "In", values: ["b"] }] },
    ]);
    expect(await world.requests()).toEqual(["create persistentvolumes"]);
  });

  test("are asked for again in the same way although the node has gone", async () => {
    await using world = await startWorld({ ...withTopology, flags: { timeout: 100 } });
    world.driver.always("CreateVolume", step.hang);
    await addNode(world, "node-a", "a");
    await world.createClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
    await scheduledClaim(world, "data", "node-a");
    await world.driver.called("CreateVolume");
    await world.admin.delete(Node, { name: "node-a" });
    await world.admin.delete(CSINode, { name: "node-a" });
    await world.driver.called("CreateVolume", 3);
    world.driver.always("CreateVolume", step.act);
    await world.bound("data");
    const requests = world.driver.calls("CreateVolume").map(({ request }) => request.accessibilityRequirements);
    for (const request of requests) expect(request).toEqual(requests[0]!);
  });

  test.each([
    ["the driver has no room there", true, "ResourceExhausted"],
    ["the node is gone", false, 'failed to get selected CSINode node-a: csinode.storage.k8s.io "node-a" not found'],
  ])("the scheduler is asked for another node when %s", async (_, exists, text) => {
    await using world = await startWorld({ ...withTopology, flags: { retryIntervalStart: 60_000 } });
    world.driver.script("CreateVolume", step.fail("ResourceExhausted", "full"));
    if (exists) await addNode(world, "node-a", "a");
    await world.createClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
    await scheduledClaim(world, "data", "node-a");
    const given = await world.until(
      PersistentVolumeClaim,
      inDefault("data"),
      ({ metadata }) => metadata?.annotations?.[selectedNode] === undefined,
    );
    expect(given.metadata?.annotations?.["volume.kubernetes.io/storage-provisioner"]).toBe(driverName);
    await world.untilEvent("data", text);
    expect(await world.requests()).toEqual(["get persistentvolumeclaims", "update persistentvolumeclaims"]);
  });

  test("other failures leave the scheduler's choice alone", async () => {
    await using world = await startWorld({ ...withTopology, flags: { timeout: 100 } });
    await addNode(world, "node-a", "a");
    await world.createClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
    const prefix = "csi.storage.k8s.io/provisioner-secret";
    const parameters = { [`${prefix}-name`]: "absent", [`${prefix}-namespace`]: "default" };
    await world.createClass("secret", { volumeBindingMode: "WaitForFirstConsumer", parameters });
    const rows = [
      ["final", step.fail("Internal", "no"), "Internal"],
      ["background", step.hang, "DeadlineExceeded"],
    ] as const;
    for (const [name, failure, text] of rows) {
      world.driver.always("CreateVolume", failure);
      await scheduledClaim(world, name, "node-a");
      await world.untilEvent(name, text);
    }
    const annotations = { [selectedNode]: "node-a" };
    await world.createClaim("unchanged", { storageClassName: "secret" }, { annotations });
    await world.untilEvent("unchanged", "error getting secret absent");
    for (const name of ["final", "background", "unchanged"]) {
      const { metadata } = await world.admin.get(PersistentVolumeClaim, inDefault(name));
      expect(metadata?.annotations?.[selectedNode]).toBe("node-a");
    }
    expect(await world.requests()).not.toContain("update persistentvolumeclaims");
  });

  test("no room is no reason to ask for another node where none was selected", async () => {
    await using world = await startWorld(withTopology);
    world.driver.script("CreateVolume", step.fail("ResourceExhausted", "full"));
    await addNode(world, "node-a", "a");
    await world.createClass();
    await world.createClaim("data");
    await world.untilEvent("data", "ResourceExhausted");
    await world.bound("data");
    expect(await world.requests()).toEqual(["create persistentvolumes"]);
  });

  test("wait for labels, and notice them at once", async () => {
    await using world = await startWorld({ ...withTopology, flags: { retryIntervalStart: 60_000, retryIntervalMax: 60_000 } });
    await world.create(CSINode, {
      metadata: { name: "node-a" },
      spec: { drivers: [{ name: driverName, nodeID: "x", topologyKeys: [zone] }] },
    });
    await world.create(Node, { metadata: { name: "node-a" } });
    await world.createClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
    await scheduledClaim(world, "data", "node-a");
    await world.untilEvent("data", "topology labels from selected node");
    const node = await world.admin.get(Node, { name: "node-a" });
    await world.admin.update(Node, { ...node, metadata: { ...node.metadata, labels: { [zone]: "a" } } });
    await world.bound("data");
  });
});

describe("one instance for each node", () => {
  const flags = { nodeDeployment: true, nodeDeploymentBaseDelay: 10, nodeDeploymentMaxDelay: 20 };
  const here = { env: { NODE_NAME: "node-1" }, driver: { capabilities: placing, nodeId: "node-1" } };

  test("serves claims of its node and no others", async () => {
    await using world = await startWorld({ ...here, flags });
    await world.createClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
    await scheduledClaim(world, "theirs", "node-2");
    await scheduledClaim(world, "ours", "node-1");
    await world.bound("ours");
    expect(world.driver.calls("CreateVolume")).toHaveLength(1);
  });

  test("becomes the owner of a claim that nobody has, if it has room", async () => {
    await using world = await startWorld({ ...here, flags, driver: { ...here.driver, poolBytes: 2n ** 30n } });
    await world.createClass();
    await world.createClaim("big", { resources: { requests: { storage: "2Gi" } } });
    await world.createClaim("data");
    const { claim: owned, volume } = await world.bound("data");
    expect(owned.metadata?.annotations?.[selectedNode]).toBe("node-1");
    expect((await world.admin.get(PersistentVolumeClaim, inDefault("big"))).metadata?.annotations?.[selectedNode]).toBeUndefined();
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolume, { name: volume.metadata?.name ?? "" });
  });

  test("leaves volumes of other nodes to their instances", async () => {
    await using world = await startWorld({ ...here, flags });
    const affinity = (node: string) => ({
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "topology.example.com/node", operator: "In" as const, values: [node] }] }],
      },
    });
    const claimRef = { kind: "PersistentVolumeClaim", namespace: "default", name: "gone", uid: "gone" };
    const spec = {
      accessModes: ["ReadWriteOnce" as const],
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Delete" as const,
      claimRef,
    };
    for (const node of ["node-2", "node-1"]) {
      const csi = { driver: driverName, volumeHandle: node };
      await world.create(PersistentVolume, { metadata: { name: node }, spec: { ...spec, csi, nodeAffinity: affinity(node) } });
    }
    await world.untilGone(PersistentVolume, { name: "node-1" });
    expect(world.driver.calls("DeleteVolume").map(({ request }) => request.volumeId)).toEqual(["node-1"]);
  });

  test("does not start without the name of its node", async () => {
    await expect(startWorld({ ...here, env: {}, flags })).rejects.toThrow("The NODE_NAME environment variable must be set");
  });
});

test("a driver that is asked for too much at once is asked for less, and for more again when it keeps up", async () => {
  await using world = await startWorld({
    flags: { workerThreads: 16, retryIntervalStart: 5, retryIntervalMax: 20 },
    driver: { capabilities: "minimal" },
  });
  world.driver.always("CreateVolume", step.fail("Aborted", "busy"));
  await world.createClass();
  const names = Array.from({ length: 16 }, (_, n) => `data-${n}`);
  await Promise.all(names.map((name) => world.createClaim(name)));
  const limit = async () => Number(/concurrency_limit\{queue="claims"\} (\d+)/.exec(await world.metrics())?.[1]);
  expect(await limit()).toBeGreaterThan(0);
  await world.untilTrue(async () => (await limit()) <= 4);
  world.driver.always("CreateVolume", step.act);
  for (const name of names) await world.bound(name);
  const before = await limit();
  const more = Array.from({ length: 32 }, (_, n) => `more-${n}`);
  await Promise.all(more.map((name) => world.createClaim(name)));
  for (const name of more) await world.bound(name);
  expect(await limit()).toBeGreaterThan(Math.min(before, 15));
});

test("claims for which there is no room do not hold up the others", async () => {
  await using world = await startWorld({ flags: { workerThreads: 4, retryIntervalStart: 5, retryIntervalMax: 20 } });
  world.driver.always(
    "CreateVolume",
    step.reply((request, carryOut) => {
      if (request.parameters.pool === "full") throw new GrpcError(Code.ResourceExhausted, "full");
      return carryOut();
    }),
  );
  await world.createClass("full", { parameters: { pool: "full" } });
  await world.createClass();
  const limit = async () => Number(/concurrency_limit\{queue="claims"\} (\d+)/.exec(await world.metrics())?.[1]);
  for (let n = 0; n < 12; n++) await world.createClaim(`full-${n}`, { storageClassName: "full" });
  await world.untilTrue(async () => (await limit()) < 4);
  const before = world.driver.calls("CreateVolume").length;
  await world.driver.called("CreateVolume", before + 100);
  const names = Array.from({ length: 44 }, (_, n) => `data-${n}`);
  for (const name of names) await world.createClaim(name);
  for (const name of names) await world.bound(name);
  expect(await limit()).toBe(4);
});

test("how much room there is is published for the scheduler, and looked up again when a volume was made", async () => {
  const flags = { enableCapacity: true, capacityOwnerrefLevel: -1, capacityForImmediateBinding: true, kubeApiCapacityQps: -1 };
  const env = { NAMESPACE: "default" };
  const role = [...upstreamRole, ...capacityRules];
  await using world = await startWorld({ ...withTopology, flags, env, role, driver: { capabilities: placing, poolBytes: 3n * 2n ** 30n } });
  await addNode(world, "node-a", "a");
  await world.createClass();
  const room = async () => (await world.admin.list(CSIStorageCapacity)).items.map(({ capacity }) => String(capacity)).join();
  await world.untilTrue(async () => (await room()) === "3Gi");
  await world.createClaim("data");
  await world.bound("data");
  await world.untilTrue(async () => (await room()) === "2Gi");
  expect(await world.refused()).toEqual([]);
});
