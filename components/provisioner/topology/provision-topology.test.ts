import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { CSINode, mergePatch, Node, PersistentVolumeClaim, type V1StorageClass } from "@csi-sidecars/kube";
import { presets, type Request, step } from "@csi-sidecars/testcluster";
import { claim, driverName, inDefault } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld, type WorldOptions } from "../testing/provisioner-world.ts";

const zone = "topology.example.com/zone";
const selectedNode = "volume.kubernetes.io/selected-node";
const capabilities = { ...presets.minimal, plugin: ["CONTROLLER_SERVICE", "VOLUME_ACCESSIBILITY_CONSTRAINTS"] } as const;
/** Where nothing is asked for, the driver takes zone a. */
const placing: WorldOptions = { driver: { capabilities, topology: { [zone]: "a" } } };
const late = { volumeBindingMode: "WaitForFirstConsumer" } as const;
const inZones = (...values: string[]): Partial<V1StorageClass> => ({
  allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values }] }],
});
const places = (...values: string[]) => values.map((value) => ({ segments: { [zone]: value } }));

async function addNode(world: ProvisionerWorld, name: string, inZone: string | undefined, registered = true): Promise<void> {
  await world.create(Node, { metadata: { name, ...(inZone !== undefined && { labels: { [zone]: inZone } }) } });
  const drivers = registered ? [{ name: driverName, nodeID: name, topologyKeys: [zone] }] : [];
  await world.create(CSINode, { metadata: { name }, spec: { drivers } });
}

async function createClaim(world: ProvisionerWorld, node?: string): Promise<void> {
  if (node === undefined) return void (await world.createClaim("data"));
  await world.create(PersistentVolumeClaim, claim("data", {}, { annotations: { [selectedNode]: node } }));
}

const requirements = (world: ProvisionerWorld) =>
  world.driver.calls("CreateVolume").map(({ request }) => request.accessibilityRequirements);
const nodeOf = async (world: ProvisionerWorld) =>
  (await world.admin.get(PersistentVolumeClaim, inDefault("data"))).metadata?.annotations?.[selectedNode];

describe("what the driver is asked for", () => {
  test.each<[string, Partial<V1StorageClass>, WorldOptions["flags"], string | undefined, readonly string[] | undefined, readonly string[]]>(
    [
      ["late binding", late, {}, "node-b", ["a", "b"], ["b", "a"]],
      ["late binding, strict", late, { strictTopology: true }, "node-b", ["b"], ["b"]],
      ["late binding, allowed zones", { ...late, ...inZones("b", "c") }, {}, "node-b", ["b", "c"], ["b", "c"]],
      ["late binding, allowed zones, strict", { ...late, ...inZones("b", "c") }, { strictTopology: true }, "node-b", ["b"], ["b"]],
      ["immediate binding", {}, {}, undefined, ["a", "b"], ["a", "b"]],
      ["immediate binding, strict says nothing about it", {}, { strictTopology: true }, undefined, ["a", "b"], ["a", "b"]],
      ["immediate binding, allowed zones", inZones("b"), { immediateTopology: false }, undefined, ["b"], ["b"]],
      ["immediate binding, nothing", {}, { immediateTopology: false }, undefined, undefined, []],
    ],
  )("%s", async (_, members, flags, node, requisite, preferred) => {
    await using world = await startWorld({ ...placing, flags });
    await addNode(world, "node-a", "a");
    await addNode(world, "node-b", "b");
    await world.createClass("fast", members);
    await createClaim(world, node);
    const { volume } = await world.bound("data");
    const [asked] = requirements(world);
    expect(asked?.requisite).toEqual(requisite && places(...requisite));
    if (node !== undefined) expect(asked?.preferred).toEqual(places(...preferred));
    else expect([...(asked?.preferred ?? [])].sort(byText)).toEqual(places(...preferred));
    expect(volume.spec?.nodeAffinity?.required?.nodeSelectorTerms).toHaveLength(1);
    expect(await world.refused()).toEqual([]);
  });
  const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

  test.each<[string, Partial<V1StorageClass>, WorldOptions["flags"], string | undefined]>([
    ["late binding", late, {}, "node-a"],
    ["late binding, strict", late, { strictTopology: true }, "node-a"],
    ["late binding, allowed zones", { ...late, ...inZones("a", "b") }, {}, "node-a"],
    ["late binding, allowed zones, strict", { ...late, ...inZones("a", "b") }, { strictTopology: true }, "node-a"],
    ["immediate binding", {}, {}, undefined],
    ["immediate binding, allowed zones", inZones("a", "b"), {}, undefined],
  ])("stays the same while a call may be running, although all nodes have gone: %s", async (_, members, flags, node) => {
    await using world = await startWorld({ ...placing, flags: { ...flags, timeout: 100 } });
    world.driver.always("CreateVolume", step.hang);
    await addNode(world, "node-a", "a");
    await addNode(world, "node-b", "b");
    await world.createClass("fast", members);
    await createClaim(world, node);
    await world.driver.called("CreateVolume");
    for (const name of ["node-a", "node-b"]) {
      await world.admin.delete(Node, { name });
      await world.admin.delete(CSINode, { name });
    }
    const before = world.driver.calls("CreateVolume").length;
    await world.driver.called("CreateVolume", before + 2);
    world.driver.always("CreateVolume", step.act);
    await world.bound("data");
    const [first, ...others] = requirements(world);
    expect(first?.requisite.length).toBeGreaterThan(0);
    for (const other of others) expect(other).toEqual(first);
  });
});

describe("another node that is selected while a call may be running", () => {
  test.each(["Internal", "ResourceExhausted"] as const)(
    "is asked for when the driver has answered, and is not taken away: %s",
    async (code) => {
      await using world = await startWorld({ ...placing, flags: { strictTopology: true, timeout: 100 } });
      world.driver.always("CreateVolume", step.hang);
      await addNode(world, "node-a", "a");
      await addNode(world, "node-b", "b");
      await world.createClass("fast", late);
      await createClaim(world, "node-a");
      await world.driver.called("CreateVolume");
      await world.admin.patch(
        PersistentVolumeClaim,
        inDefault("data"),
        mergePatch({ metadata: { annotations: { [selectedNode]: "node-b" } } }),
      );
      const before = world.driver.calls("CreateVolume").length;
      await world.driver.called("CreateVolume", before + 2);
      world.driver.script("CreateVolume", step.fail(code));
      world.driver.always("CreateVolume", step.act);
      await world.bound("data");
      const asked = requirements(world).map((requirement) => requirement?.requisite);
      expect(asked.slice(0, -1)).toEqual(asked.slice(0, -1).map(() => places("a")));
      expect(asked.at(-1)).toEqual(places("b"));
      expect(await nodeOf(world)).toBe("node-b");
    },
  );
});

describe("without topology", () => {
  /** As a driver that says where its volumes are, although nobody asked. */
  const talkative = step.reply((_: Request<"CreateVolume">, carryOut: () => { volume?: object }) => {
    const { volume } = carryOut();
    return { volume: { ...volume, accessibleTopology: places("a") } } as never;
  });
  test.each<[string, WorldOptions]>([
    ["the gate is off", { ...placing, gatesOff: ["Topology"] }],
    ["the driver does not know it", { driver: { capabilities: "minimal" } }],
  ])("(%s) nothing is asked for, nodes are of no interest, and volumes are everywhere", async (_, options) => {
    await using world = await startWorld(options);
    world.driver.always("CreateVolume", talkative);
    await world.createClass("fast", late);
    await createClaim(world, "no-such-node");
    const { volume } = await world.bound("data");
    expect(requirements(world)).toEqual([undefined]);
    expect(volume.spec?.nodeAffinity).toBeUndefined();
    expect(await nodeOf(world)).toBe("no-such-node");
  });

  test("no room is no reason for another node", async () => {
    await using world = await startWorld({ driver: { capabilities: "minimal" } });
    world.driver.script("CreateVolume", step.fail("ResourceExhausted", "full"), step.fail("ResourceExhausted", "full"));
    await world.createClass("fast", late);
    await createClaim(world, "node-a");
    await world.bound("data");
    expect(await nodeOf(world)).toBe("node-a");
    expect(await world.requests()).toEqual(["create persistentvolumes"]);
  });
});

describe("a selected node that will not do", () => {
  const patient = { ...placing, flags: { retryIntervalStart: 60_000, retryIntervalMax: 60_000 } };

  test("because the driver is not on it yet is taken as soon as it is", async () => {
    await using world = await startWorld(patient);
    await addNode(world, "node-a", "a", false);
    await world.createClass("fast", late);
    await createClaim(world, "node-a");
    await world.untilEvent("data", "error generating accessibility requirements: no topology key found for node node-a");
    const csiNode = await world.admin.get(CSINode, { name: "node-a" });
    await world.admin.update(CSINode, { ...csiNode, spec: { drivers: [{ name: driverName, nodeID: "x", topologyKeys: [zone] }] } });
    await world.bound("data");
    expect(await nodeOf(world)).toBe("node-a");
  });

  test.each([
    ["the driver is not on it", (world: ProvisionerWorld) => addNode(world, "node-a", "a", false), "no topology key found for node node-a"],
    [
      "the node is gone, but not its registration",
      async (world: ProvisionerWorld) => {
        await addNode(world, "node-a", "a");
        await world.admin.delete(Node, { name: "node-a" });
      },
      "topology labels from selected node map[] does not match topology keys from CSINode",
    ],
  ])("because %s is given up after a while, not at once", async (_, given, text) => {
    const clock = new FakeClock();
    await using world = await startWorld({ ...placing, clock, flags: { retryIntervalStart: 1_000, retryIntervalMax: 5_000 } });
    await given(world);
    await world.createClass("fast", late);
    await createClaim(world, "node-a");
    await world.untilEvent("data", text);
    const start = clock.monotonic();
    await world.untilTrue(async () => {
      await clock.advance(1_000);
      return (await nodeOf(world)) === undefined;
    });
    expect(clock.monotonic() - start).toBeGreaterThanOrEqual(29_000);
    expect(world.driver.calls("CreateVolume")).toHaveLength(0);
  });

  test.each<[string, Partial<V1StorageClass>, WorldOptions["flags"], RegExp]>([
    [
      "because its zone is not allowed",
      inZones("b"),
      {},
      /topology \[\{topology.example.com\/zone a\}\] from selected node "node-a" is not in requisite/,
    ],
    [
      "because its zone is not allowed, strictly",
      inZones("b"),
      { strictTopology: true },
      /selected node '"node-a"' topology '\[\{topology.example.com\/zone a\}\]' is not in allowed topologies/,
    ],
  ])("%s is told about and kept", async (_, members, flags, text) => {
    await using world = await startWorld({ ...placing, flags });
    await addNode(world, "node-a", "a");
    await world.createClass("fast", { ...late, ...members });
    await createClaim(world, "node-a");
    await world.untilTrue(async () => (await world.events("data")).some((event) => text.test(event)));
    expect(await nodeOf(world)).toBe("node-a");
    expect(world.driver.calls("CreateVolume")).toHaveLength(0);
  });
});

test("without a selected node and without any node of the driver's, the user is told", async () => {
  await using world = await startWorld(placing);
  await world.createClass();
  await createClaim(world);
  await world.untilEvent("data", "error generating accessibility requirements: no available topology found");
  await addNode(world, "node-a", "a");
  await world.bound("data");
});
