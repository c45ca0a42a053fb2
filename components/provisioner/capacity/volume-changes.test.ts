import { describe, expect, test } from "bun:test";
import { CSINode, CSIStorageCapacity, mergePatch, Node, PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { claim, driverName, placing } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld, type WorldOptions } from "../testing/provisioner-world.ts";
import { capacityRules, upstreamRole } from "../testing/upstream-role.ts";

const zone = "topology.example.com/zone";
const hour = 3_600_000;
const flags = { enableCapacity: true, capacityOwnerrefLevel: -1, kubeApiCapacityQps: -1, capacityPollInterval: hour };
const publishing: WorldOptions = {
  flags,
  env: { NAMESPACE: "default" },
  role: [...upstreamRole, ...capacityRules],
  driver: { capabilities: placing },
};

/** Two zones, two classes: four objects. */
async function fourPairs(options: WorldOptions = {}): Promise<ProvisionerWorld> {
  const world = await startWorld({ ...publishing, ...options });
  for (const name of ["a", "b"]) {
    await world.create(Node, { metadata: { name, labels: { [zone]: name } } });
    await world.create(CSINode, { metadata: { name }, spec: { drivers: [{ name: driverName, nodeID: name, topologyKeys: [zone] }] } });
  }
  for (const name of ["fast", "slow"]) {
    await world.createClass(name, { volumeBindingMode: "WaitForFirstConsumer", parameters: { class: name } });
  }
  await world.untilTrue(async () => (await objects(world)).length === 4);
  await world.untilTrue(() => asked(world).length === 4);
  return world;
}

test("a driver without a controller service is not asked for its capacity", async () => {
  await using world = await startWorld({
    ...publishing,
    driver: { capabilities: { ...placing, plugin: ["VOLUME_ACCESSIBILITY_CONSTRAINTS"] } },
  });
  await world.create(Node, { metadata: { name: "a", labels: { [zone]: "a" } } });
  await world.create(CSINode, { metadata: { name: "a" }, spec: { drivers: [{ name: driverName, nodeID: "a", topologyKeys: [zone] }] } });
  await world.createClass("fast", { volumeBindingMode: "WaitForFirstConsumer" });
  await world.untilTrue(() => world.log.lines.some(({ message }) => message.startsWith("No capacity is published")));
  const methods = world.driver.calls().map(({ method }) => method);
  expect(methods.filter((method) => !["Probe", "GetPluginInfo", "GetPluginCapabilities"].includes(method))).toEqual([]);
});

const objects = async (world: ProvisionerWorld) => (await world.admin.list(CSIStorageCapacity)).items;
/** The driver was asked about: `fast a`. */
const asked = (world: ProvisionerWorld) =>
  world.driver
    .calls("GetCapacity")
    .filter(({ outcome }) => outcome)
    .map(({ request }) => `${request.parameters.class} ${request.accessibleTopology?.segments[zone] ?? "everywhere"}`);
const scheduledClaim = (world: ProvisionerWorld, name: string, node: string, more = {}) =>
  world.create(
    PersistentVolumeClaim,
    claim(name, { storageClassName: "fast", ...more }, { annotations: { "volume.kubernetes.io/selected-node": node } }),
  );

describe("the driver is asked again", () => {
  test("about all classes in the place of a new volume, and of one that was deleted, before its object has gone", async () => {
    await using world = await fourPairs();
    await scheduledClaim(world, "data", "b");
    const { volume } = await world.bound("data");
    await world.untilTrue(() => asked(world).length === 6);
    expect(asked(world).slice(4).sort()).toEqual(["fast b", "slow b"]);

    const name = volume.metadata?.name ?? "";
    const finalizers = (more: readonly string[] | null) =>
      world.admin.patch(PersistentVolume, { name }, mergePatch({ metadata: { finalizers: more } }));
    await finalizers([...(volume.metadata?.finalizers ?? []), "example.com/keep"]);
    await world.deleteClaim("data");
    await world.untilTrue(() => asked(world).length === 8);
    expect(asked(world).slice(6).sort()).toEqual(["fast b", "slow b"]);
    await finalizers(null);
    await world.untilGone(PersistentVolume, { name });
  });

  test.each([
    ["there is no room", "ResourceExhausted"],
    ["the driver failed", "Internal"],
    ["the driver may still be at it", "DeadlineExceeded"],
  ] as const)("about all places of the class when a volume could not be made: %s", async (_, code) => {
    await using world = await fourPairs({ flags: { ...flags, retryIntervalStart: hour, retryIntervalMax: hour } });
    world.driver.script("CreateVolume", step.fail(code));
    await scheduledClaim(world, "data", "a");
    await world.untilTrue(() => asked(world).length === 6);
    expect(asked(world).slice(4).sort()).toEqual(["fast a", "fast b"]);
  });

  test("about nothing when the driver was not even asked for the volume", async () => {
    await using world = await fourPairs();
    await scheduledClaim(world, "data", "a", { selector: { matchLabels: { no: "way" } } });
    await world.untilEvent("data", "claim Selector is not supported");
    await scheduledClaim(world, "witness", "b");
    await world.bound("witness");
    await world.untilTrue(() => asked(world).length === 6);
    expect(asked(world).slice(4).sort()).toEqual(["fast b", "slow b"]);
  });
});

test("capacity that waits for its own limit does not hold up a volume", async () => {
  const slow = { ...flags, kubeApiCapacityQps: 0.001, kubeApiCapacityBurst: 2 };
  await using world = await startWorld({ ...publishing, flags: { ...slow, capacityForImmediateBinding: true } });
  await world.create(Node, { metadata: { name: "a", labels: { [zone]: "a" } } });
  await world.create(CSINode, {
    metadata: { name: "a" },
    spec: { drivers: [{ name: driverName, nodeID: "a", topologyKeys: [zone] }] },
  });
  for (const name of ["fast", "slow", "third"]) await world.createClass(name);
  await world.untilTrue(async () => (await objects(world)).length === 1);
  for (const name of ["one", "two", "three"]) await world.createClaim(name);
  for (const name of ["one", "two", "three"]) await world.bound(name);
  expect(await objects(world)).toHaveLength(1);
});

describe("places are published whatever is asked of the driver when volumes are made", () => {
  const placesOf = async (world: ProvisionerWorld) => (await objects(world)).map(({ nodeTopology }) => nodeTopology?.matchLabels);

  test("by a central deployment with the gate off", async () => {
    await using world = await fourPairs({ gatesOff: ["Topology"] });
    expect((await placesOf(world)).map((labels) => labels?.[zone]).sort()).toEqual(["a", "a", "b", "b"]);
  });

  test("by a node deployment with the gate off", async () => {
    const env = { NAMESPACE: "default", NODE_NAME: "node-1" };
    await using world = await startWorld({
      ...publishing,
      ...{ env, gatesOff: ["Topology"] },
      flags: { ...flags, nodeDeployment: true },
      driver: { capabilities: placing, topology: { [zone]: "a", rack: "7" } },
    });
    await world.createClass("fast", { volumeBindingMode: "WaitForFirstConsumer" });
    await world.untilTrue(async () => (await objects(world)).length === 1);
    expect(await placesOf(world)).toEqual([{ [zone]: "a", rack: "7" }]);
    expect((await objects(world))[0]?.metadata?.labels?.["csi.storage.k8s.io/managed-by"]).toBe("external-provisioner-node-1");
  });
});
