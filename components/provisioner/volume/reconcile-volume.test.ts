import { describe, expect, test } from "bun:test";
import { mergePatch, PersistentVolume, Secret, type V1PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { driverName, inDefault, staticVolume, token } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld, type WorldOptions } from "../testing/provisioner-world.ts";

const ours = "external-provisioner.volume.kubernetes.io/finalizer";

/** A volume whose claim is gone. Without the cluster's controllers it stays as it is. */
async function released(world: ProvisionerWorld, name: string, spec = {}, metadata = {}, phase = "Released"): Promise<V1PersistentVolume> {
  const claimRef = { kind: "PersistentVolumeClaim", namespace: "default", name: "gone", uid: "gone" };
  await world.create(PersistentVolume, staticVolume(name, { claimRef, ...spec }, metadata));
  return world.admin.patch(PersistentVolume, { name }, mergePatch({ status: { phase } }), { subresource: "status" });
}

/** The cluster's own finalizer stays where its controllers do not run. */
async function letGo(world: ProvisionerWorld, name: string): Promise<void> {
  await world.until(PersistentVolume, { name }, ({ metadata }) => metadata?.deletionTimestamp && !metadata.finalizers?.includes(ours));
}

const alone: WorldOptions = { controllers: false };
const provisionedBy = (name: string) => ({ annotations: { "pv.kubernetes.io/provisioned-by": name } });

describe("which volumes are deleted", () => {
  const csi = { driver: "other.example.com", volumeHandle: "h" };
  test.each([
    ["released, made by us", provisionedBy(driverName), {}, "Released", true],
    ["released, made by hand, of our driver", {}, {}, "Released", true],
    ["of another driver", {}, { csi }, "Released", false],
    ["made by another provisioner", provisionedBy("other.example.com"), {}, "Released", false],
    ["in use", {}, {}, "Bound", false],
    ["failed", {}, {}, "Failed", false],
    ["to be kept", {}, { persistentVolumeReclaimPolicy: "Retain" }, "Released", false],
  ])("%s", async (_, metadata, spec, phase, deleted) => {
    await using world = await startWorld(alone);
    await released(world, "looked-at", spec, metadata, phase);
    await released(world, "witness");
    await letGo(world, "witness");
    if (deleted) await letGo(world, "looked-at");
    const names = world.driver.calls("DeleteVolume").map(({ request }) => request.volumeId);
    expect(names.includes("handle-of-looked-at")).toBe(deleted);
    expect(await world.refused()).toEqual([]);
  });

  test("with our finalizer and already on its way out: the object is not deleted twice", async () => {
    await using world = await startWorld({ ...alone, stopped: true });
    await released(world, "data", {}, { finalizers: [ours] });
    await world.admin.delete(PersistentVolume, { name: "data" });
    await world.run();
    await letGo(world, "data");
    expect(await world.requests()).toEqual(["patch persistentvolumes"]);
  });

  test("on its way out without our finalizer: somebody else cares for it", async () => {
    await using world = await startWorld({ ...alone, stopped: true });
    await released(world, "data", {}, { finalizers: ["example.com/keep"] });
    await world.admin.delete(PersistentVolume, { name: "data" });
    await world.run();
    await released(world, "witness");
    await letGo(world, "witness");
    expect(world.driver.calls("DeleteVolume")).toHaveLength(1);
  });
});

describe("our finalizer", () => {
  test("is put on a volume that is in use, keeping the others, and taken off one that is to be kept", async () => {
    await using world = await startWorld(alone);
    await released(world, "data", {}, { finalizers: ["example.com/keep"] }, "Bound");
    await world.until(PersistentVolume, { name: "data" }, ({ metadata }) => metadata?.finalizers?.includes(ours));
    const { metadata } = await world.admin.get(PersistentVolume, { name: "data" });
    expect(metadata?.finalizers?.at(-1)).toBe(ours);
    expect(metadata?.finalizers).toContain("example.com/keep");
    await world.admin.patch(PersistentVolume, { name: "data" }, mergePatch({ spec: { persistentVolumeReclaimPolicy: "Retain" } }));
    await world.until(PersistentVolume, { name: "data" }, (volume) => !volume.metadata?.finalizers?.includes(ours));
    expect((await world.admin.get(PersistentVolume, { name: "data" })).metadata?.finalizers).toContain("example.com/keep");
    expect(await world.requests()).toEqual(["patch persistentvolumes", "patch persistentvolumes"]);
  });

  test("comes off also where it came on while the volume was being deleted", async () => {
    await using world = await startWorld(alone);
    world.driver.script(
      "DeleteVolume",
      step.reply(async (_, carryOut) => {
        const { metadata } = await world.admin.get(PersistentVolume, { name: "data" });
        await world.admin.patch(
          PersistentVolume,
          { name: "data" },
          mergePatch({ metadata: { finalizers: [...(metadata?.finalizers ?? []), ours] } }),
        );
        return carryOut();
      }),
    );
    await released(world, "data");
    await letGo(world, "data");
  });
});

describe("what keeps a volume", () => {
  test("a driver that is not ours, whoever is said to have made it: its handle would mean nothing, or another volume", async () => {
    await using world = await startWorld(alone);
    await released(world, "data", { csi: { driver: "other.example.com", volumeHandle: "h" } }, provisionedBy(driverName));
    await world.untilEvent("data", "VolumeFailedDelete: the volume belongs to driver other.example.com");
    expect(world.driver.calls("DeleteVolume")).toEqual([]);
  });

  test("an attachment, of whatever state; its end is noticed at once", async () => {
    const flags = { retryIntervalStart: 60_000, retryIntervalMax: 60_000 };
    await using world = await startWorld({ ...alone, flags, driver: { capabilities: "attachable" } });
    const source = { persistentVolumeName: "data" };
    await world.create(VolumeAttachment, { metadata: { name: "va" }, spec: { attacher: driverName, nodeName: "node-7", source } });
    await released(world, "data");
    await world.untilEvent("data", "VolumeFailedDelete: persistentvolume data is still attached to node node-7");
    expect(world.driver.calls("DeleteVolume")).toEqual([]);
    await world.admin.delete(VolumeAttachment, { name: "va" });
    await letGo(world, "data");
  });

  test("the driver's refusal, until it changes its mind", async () => {
    await using world = await startWorld(alone);
    world.driver.script("DeleteVolume", step.fail("FailedPrecondition", "in use"), step.fail("NotFound", "what?"));
    await released(world, "data", {}, { finalizers: [ours] });
    await world.untilEvent("data", "VolumeFailedDelete: rpc error: code = FailedPrecondition desc = in use");
    await letGo(world, "data");
    expect(world.driver.calls("DeleteVolume")).toHaveLength(3);
    expect(await world.metrics()).toContain('controller_persistentvolume_delete_failed_total{class="fast"} 2');
    expect(await world.metrics()).toContain('controller_persistentvolume_delete_total{class="fast"} 1');
  });
});

describe("the secret for deleting", () => {
  const annotated = (name: string, namespace: string) => ({
    annotations: {
      "volume.kubernetes.io/provisioner-deletion-secret-name": name,
      "volume.kubernetes.io/provisioner-deletion-secret-namespace": namespace,
    },
  });
  const parameters = {
    "csi.storage.k8s.io/provisioner-secret-name": `${token("pvc.name")}-key`,
    "csi.storage.k8s.io/provisioner-secret-namespace": "default",
  };
  test.each([
    ["is the one that the volume names", annotated("volume-key", "default"), { from: "volume" }],
    ["that the volume names may be gone", annotated("missing", "default"), {}],
    ["is none if the volume says so", annotated("", ""), {}],
    ["of an old volume is its class's", {}, { from: "class" }],
  ])("%s", async (_, metadata, secrets) => {
    await using world = await startWorld(alone);
    await world.createClass("fast", { parameters });
    await world.create(Secret, { metadata: inDefault("volume-key"), data: { from: Buffer.from("volume").toString("base64") } });
    await world.create(Secret, { metadata: inDefault("gone-key"), data: { from: Buffer.from("class").toString("base64") } });
    await released(world, "data", {}, metadata);
    await letGo(world, "data");
    expect(world.driver.calls("DeleteVolume").map(({ request }) => request.secrets)).toEqual([secrets as Record<string, string>]);
  });

  test("is waited for while the API server cannot tell it", async () => {
    await using world = await startWorld(alone);
    await world.create(Secret, { metadata: inDefault("volume-key"), data: { from: Buffer.from("volume").toString("base64") } });
    world.disturb({ verb: "get", resource: Secret, how: "failed" });
    await released(world, "data", {}, annotated("volume-key", "default"));
    await letGo(world, "data");
    expect(world.driver.calls("DeleteVolume").map(({ request }) => request.secrets)).toEqual([{ from: "volume" }]);
    await world.untilEvent("data", "VolumeFailedDelete: error getting secret volume-key in namespace default");
  });

  test("cannot come from an annotation of a claim that is gone", async () => {
    await using world = await startWorld(alone);
    await world.createClass("fast", {
      parameters: { ...parameters, "csi.storage.k8s.io/provisioner-secret-name": token("pvc.annotations['x']") },
    });
    await released(world, "data");
    await world.untilEvent("data", "failed to get secretreference for volume data: error resolving value");
    expect(world.driver.calls("DeleteVolume")).toEqual([]);
  });
});
