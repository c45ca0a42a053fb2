import { describe, expect, test } from "bun:test";
import { PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { annotation } from "../names.ts";
import { claim, inDefault, placing, staticVolume } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld, type WorldOptions } from "../testing/provisioner-world.ts";
import { claimOwnership, ownershipDelay } from "./claim-ownership.ts";

const node = "topology.example.com/node";
const { selectedNode } = annotation;
const flags = { nodeDeployment: true, nodeDeploymentBaseDelay: 10, nodeDeploymentMaxDelay: 20 };
const here: WorldOptions = { env: { NODE_NAME: "node-1" }, flags, driver: { capabilities: placing, nodeId: "node-1" } };
const allowing = (...nodes: string[]) => ({ allowedTopologies: [{ matchLabelExpressions: [{ key: node, values: nodes }] }] });

async function ownerOf(world: ProvisionerWorld, name: string): Promise<string | undefined> {
  return (await world.admin.get(PersistentVolumeClaim, inDefault(name))).metadata?.annotations?.[selectedNode];
}

describe("a claim that nobody has", () => {
  test("is taken where the class allows it, for its own place alone, and left where it does not", async () => {
    await using world = await startWorld({ ...here, flags: { ...flags, extraCreateMetadata: true } });
    await world.createClass("ours", { ...allowing("node-1", "node-2"), parameters: { pool: "a", "csi.storage.k8s.io/fstype": "xfs" } });
    await world.createClass("theirs", allowing("node-2"));
    await world.createClaim("not-here", { storageClassName: "theirs" });
    await world.createClaim("data", { storageClassName: "ours" });
    const { volume } = await world.bound("data");
    expect(await ownerOf(world, "data")).toBe("node-1");
    expect(await ownerOf(world, "not-here")).toBeUndefined();
    expect(volume.spec?.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: node, operator: "In", values: ["node-1"] }] },
    ]);
    const asked = world.driver.calls("GetCapacity").map(({ request }) => request);
    expect(asked[0]).toMatchObject({
      accessibleTopology: { segments: { [node]: "node-1" } },
      parameters: { pool: "a", "csi.storage.k8s.io/pvc/name": "data" },
      volumeCapabilities: [{ accessMode: { mode: 1 } }],
    });
    expect(asked[0]?.parameters).not.toHaveProperty(["csi.storage.k8s.io/fstype"]);
    expect(await world.refused()).toEqual([]);
  });

  test("is not taken where immediate binding is disabled, or not meant", async () => {
    await using world = await startWorld({ ...here, flags: { ...flags, nodeDeploymentImmediateBinding: false } });
    await world.createClass();
    await world.createClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
    await world.createClaim("data");
    await world.create(PersistentVolumeClaim, claim("later", { storageClassName: "late" }));
    await world.create(PersistentVolumeClaim, claim("ours", {}, { annotations: { [selectedNode]: "node-1" } }));
    await world.bound("ours");
    expect(await ownerOf(world, "data")).toBeUndefined();
    expect(await ownerOf(world, "later")).toBeUndefined();
    expect(world.driver.calls("GetCapacity")).toHaveLength(0);
    expect(await world.events("data")).not.toContainEqual(expect.stringContaining("ProvisioningFailed"));
  });

  test("is taken when there is room for it later, without any other sign", async () => {
    await using world = await startWorld({ ...here, driver: { ...here.driver, poolBytes: 1n } });
    await world.createClass();
    await world.createClaim("data");
    await world.driver.called("GetCapacity", 3);
    expect(await ownerOf(world, "data")).toBeUndefined();
    world.driver.settings.poolBytes = 2n ** 40n;
    await world.bound("data");
    expect(await ownerOf(world, "data")).toBe("node-1");
  });

  test("is taken although nobody knows whether there is room: so that its user learns what is wrong", async () => {
    await using world = await startWorld(here);
    world.driver.always("GetCapacity", step.fail("Internal", "broken"));
    await world.createClass();
    await world.createClaim("data");
    await world.bound("data");
    expect(await ownerOf(world, "data")).toBe("node-1");
  });

  test("that another instance takes first is left to that one", async () => {
    await using world = await startWorld(here);
    world.driver.always("GetCapacity", step.waitFor("other"));
    await world.createClass();
    await world.createClaim("data");
    await world.driver.called("GetCapacity");
    const taken = await world.admin.get(PersistentVolumeClaim, inDefault("data"));
    const annotations = { ...taken.metadata?.annotations, [selectedNode]: "node-2" };
    await world.admin.update(PersistentVolumeClaim, { ...taken, metadata: { ...taken.metadata, annotations } });
    world.driver.release("other");
    await world.createClaim("witness");
    await world.bound("witness");
    expect(await ownerOf(world, "data")).toBe("node-2");
    expect(world.driver.calls("CreateVolume")).toHaveLength(1);
    expect(await world.events("data")).not.toContainEqual(expect.stringContaining("Failed"));
  });

  test("that goes meanwhile is forgotten without a complaint", async () => {
    await using world = await startWorld(here);
    world.driver.always("GetCapacity", step.waitFor("gone"));
    await world.createClass();
    await world.createClaim("data");
    await world.driver.called("GetCapacity");
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    world.driver.release("gone");
    await world.createClaim("witness");
    await world.bound("witness");
    expect(await world.events("data")).not.toContainEqual(expect.stringContaining("Failed"));
    expect(world.driver.calls("CreateVolume")).toHaveLength(1);
  });

  test("that is replaced meanwhile by one for which there is no room is not taken in its place", async () => {
    await using world = await startWorld({ ...here, driver: { ...here.driver, poolBytes: 2n ** 30n } });
    world.driver.script("GetCapacity", step.waitFor("replaced"));
    await world.createClass();
    await world.createClaim("data");
    await world.driver.called("GetCapacity");
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    await world.createClaim("data", { resources: { requests: { storage: "2Gi" } } });
    world.driver.release("replaced");
    await world.driver.called("GetCapacity", 3);
    await world.createClaim("witness");
    await world.bound("witness");
    expect(await ownerOf(world, "data")).toBeUndefined();
    expect(world.driver.calls("CreateVolume")).toHaveLength(1);
  });

  test("that cannot be written is complained about, and taken in the end", async () => {
    await using world = await startWorld(here);
    world.disturb({ verb: "update", resource: PersistentVolumeClaim, how: "failed" });
    await world.createClass();
    await world.createClaim("data");
    await world.bound("data");
    await world.untilEvent(
      "data",
      'ProvisioningFailed: node check failed: PVC default/data: selecting node "node-1" for PVC failed: refused by the test',
    );
    expect(await world.metrics()).toContain('controller_persistentvolumeclaim_provision_failed_total{class="fast",source=""} 1');
  });

  test("whose owner has no room after all is given back, and taken again", async () => {
    await using world = await startWorld(here);
    world.driver.script("CreateVolume", step.fail("ResourceExhausted", "full"));
    await world.createClass();
    await world.createClaim("data");
    await world.bound("data");
    await world.untilEvent("data", "full");
    const writes = (await world.requests()).filter((request) => request === "update persistentvolumeclaims");
    expect(writes).toHaveLength(3);
    expect(world.driver.calls("CreateVolume")).toHaveLength(2);
  });
});

test("each instance protects the volumes of its node alone", async () => {
  await using world = await startWorld({ ...here, controllers: false });
  const ours = "external-provisioner.volume.kubernetes.io/finalizer";
  const at = (name: string) => ({
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: node, operator: "In" as const, values: [name] }] }] },
  });
  const claimRef = { kind: "PersistentVolumeClaim", namespace: "default", name: "x", uid: "x" };
  for (const name of ["node-2", "node-1"]) {
    await world.create(PersistentVolume, staticVolume(`of-${name}`, { claimRef, nodeAffinity: at(name) }));
    const { metadata } = await world.admin.get(PersistentVolume, { name: `of-${name}` });
    await world.admin.patch(
      PersistentVolume,
      { name: `of-${name}` },
      { type: "merge", body: { metadata: { resourceVersion: metadata?.resourceVersion }, status: { phase: "Bound" } } },
      { subresource: "status" },
    );
  }
  await world.until(PersistentVolume, { name: "of-node-1" }, ({ metadata }) => metadata?.finalizers?.includes(ours));
  expect((await world.admin.get(PersistentVolume, { name: "of-node-2" })).metadata?.finalizers ?? []).not.toContain(ours);
  expect(await world.requests()).toEqual(["patch persistentvolumes"]);
});

describe("the wait before an instance tries to become an owner", () => {
  const own = { name: "n", labels: {}, immediateBinding: true, baseDelayMs: 20_000, maxDelayMs: 60_000 };

  test("is never negative and never longer than the longest, a hundred times", () => {
    for (let tries = 0; tries < 100; tries++) {
      const delay = ownershipDelay(own, tries, Math.random);
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThanOrEqual(own.maxDelayMs);
    }
  });

  test.each([
    [0, 0, 20_000],
    [0, 0.75, 5_000],
    [1, 0.5, 30_000],
    [2, 0.5, 50_000],
    [9, 0, 60_000],
  ])("after %i tries, with a draw of %d, is %i ms", (tries, random, expected) => {
    expect(ownershipDelay(own, tries, () => random)).toBe(expected);
  });

  test("may be nothing", () => {
    expect(ownershipDelay({ ...own, baseDelayMs: 0 }, 3, Math.random)).toBe(0);
    expect(ownershipDelay({ ...own, maxDelayMs: 0 }, 3, () => 0.5)).toBe(0);
  });
});

describe("the owner of a claim", () => {
  const allowed = () => ({ requirement: undefined });
  const notAllowed = () => ({ problem: "not-allowed" as const, error: "" });
  test.each([
    ["its own node is selected", "own", "WaitForFirstConsumer", true, undefined, "own"],
    ["its own node is selected, immediate binding", "own", "Immediate", false, notAllowed, "own"],
    ["another node is selected", "other", "Immediate", true, undefined, "not-own"],
    ["none is selected, late binding", undefined, "WaitForFirstConsumer", true, undefined, "not-own"],
    ["none is selected, unknown binding", undefined, undefined, true, undefined, "not-own"],
    ["none is selected, immediate binding", undefined, "Immediate", true, undefined, "compete"],
    ["an empty choice, immediate binding", "", "Immediate", true, undefined, "compete"],
    ["immediate binding disabled", undefined, "Immediate", false, undefined, "not-own"],
    ["allowed topologies that include the node", undefined, "Immediate", true, allowed, "compete"],
    ["allowed topologies that do not", undefined, "Immediate", true, notAllowed, "not-own"],
  ] as const)("%s", (_, selectedNode, volumeBindingMode, immediateBinding, requirement, expected) => {
    expect(claimOwnership({ selectedNode, localNode: "own", volumeBindingMode, immediateBinding, requirement })).toBe(expected);
  });
});
