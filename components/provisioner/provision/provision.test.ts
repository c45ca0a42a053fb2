import { describe, expect, test } from "bun:test";
import { Event, PersistentVolume, PersistentVolumeClaim, Secret, StorageClass, VolumeAttributesClass } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { claim, driverName, inDefault, token } from "../testing/manifests.ts";
import { startWorld } from "../testing/provisioner-world.ts";

test("a claim gets its volume: one call, one request, all events; and gives it back: one call, two requests", async () => {
  await using world = await startWorld();
  await world.createClass("fast", { parameters: { type: "ssd", "csi.storage.k8s.io/fstype": "xfs" }, mountOptions: ["noatime"] });
  const { metadata } = await world.createClaim("data");
  const { volume } = await world.bound("data");
  const uid = metadata?.uid;
  expect(volume.metadata?.name).toBe(`pvc-${uid}`);
  expect(volume.metadata?.annotations).toMatchObject({
    "pv.kubernetes.io/provisioned-by": driverName,
    "volume.kubernetes.io/provisioner-deletion-secret-name": "",
    "volume.kubernetes.io/provisioner-deletion-secret-namespace": "",
  });
  expect(volume.metadata?.finalizers?.toSorted()).toEqual([
    "external-provisioner.volume.kubernetes.io/finalizer",
    "kubernetes.io/pv-protection",
  ]);
  expect(volume.spec).toMatchObject({
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    claimRef: { name: "data", namespace: "default", uid },
    csi: { driver: driverName, volumeHandle: "vol-1", fsType: "xfs" },
    mountOptions: ["noatime"],
    persistentVolumeReclaimPolicy: "Delete",
    storageClassName: "fast",
    volumeMode: "Filesystem",
  });
  expect(world.driver.calls("CreateVolume").map(({ request }) => request)).toMatchObject([
    { name: `pvc-${uid}`, parameters: { type: "ssd" }, capacityRange: { requiredBytes: 1073741824n }, secrets: {}, mutableParameters: {} },
  ]);
  await world.untilEvent("data", `ProvisioningSucceeded: Successfully provisioned volume pvc-${uid}`);
  expect(await world.events("data")).toContain('Normal Provisioning: External provisioner is provisioning volume for claim "default/data"');
  const { items: events } = await world.admin.list(Event);
  const sources = events.filter(({ reason }) => reason === "ProvisioningSucceeded").map(({ source }) => source?.component);
  expect(sources).toEqual([expect.stringMatching(/^driver\.example\.com_[^_]+_[0-9a-f-]{36}$/)]);
  expect(await world.requests()).toEqual(["create persistentvolumes"]);

  await world.deleteClaim("data");
  await world.untilGone(PersistentVolume, { name: `pvc-${uid}` });
  expect(world.driver.volumes.size).toBe(0);
  expect(world.driver.calls("DeleteVolume")).toHaveLength(1);
  expect(await world.requests()).toEqual(["create persistentvolumes", "delete persistentvolumes", "patch persistentvolumes"]);
  expect(await world.refused()).toEqual([]);
  const id = { volume: `pvc-${uid}`, volumeId: "vol-1", seconds: expect.any(Number) };
  expect(world.log.lines.filter(({ level, message }) => level === 2 && message.endsWith(" the volume"))).toMatchObject([
    { message: "Provisioned the volume", fields: { claim: "default/data", ...id } },
    { message: "Deleted the volume", fields: id },
  ]);
});

test("an answer that was lost is asked for again; the volume is made once", async () => {
  await using world = await startWorld({ driver: { script: { CreateVolume: [step.lost, step.lostBefore] } } });
  await world.createClass();
  await world.createClaim("data");
  await world.bound("data");
  expect(world.driver.calls("CreateVolume")).toHaveLength(3);
  expect(world.driver.volumes.size).toBe(1);
  expect(await world.requests()).toEqual(["create persistentvolumes"]);
});

describe("which claims", () => {
  test("claims of other provisioners, bound ones and ones without a selected node are left alone", async () => {
    await using world = await startWorld();
    await world.create(StorageClass, { metadata: { name: "foreign" }, provisioner: "other.example.com" });
    await world.createClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
    await world.createClass();
    await world.createClaim("theirs", { storageClassName: "foreign" });
    await world.createClaim("waiting", { storageClassName: "late" });
    await world.createClaim("none", { storageClassName: "" });
    await world.createClaim("ours");
    await world.bound("ours");
    expect(world.driver.calls("CreateVolume")).toHaveLength(1);
    expect(await world.requests()).toEqual(["create persistentvolumes"]);
  });

  test("a claim that came before its class is served as soon as the class is there", async () => {
    await using world = await startWorld({ controllers: false, flags: { retryIntervalStart: 60_000, retryIntervalMax: 60_000 } });
    const annotations = { "volume.kubernetes.io/storage-provisioner": driverName };
    await world.create(PersistentVolumeClaim, claim("data", {}, { annotations }));
    await world.untilTrue(async () => (await world.metrics()).includes('provision_failed_total{class="fast",source=""} 1'));
    await world.createClass();
    await world.driver.called("CreateVolume");
    await world.untilTrue(async () => (await world.metrics()).includes('provision_total{class="fast",source=""} 1'));
  });

  test("a claim for a populator is left to it", async () => {
    await using world = await startWorld();
    await world.createClass();
    await world.createClaim("data", { dataSourceRef: { apiGroup: "books.example.com", kind: "Shelf", name: "one" } });
    await world.untilEvent("data", "Provisioning: Assuming an external populator will provision the volume");
    expect(world.driver.calls("CreateVolume")).toEqual([]);
  });
});

describe("what the driver is told", () => {
  test("block volumes, several modes, extra metadata, read-only", async () => {
    await using world = await startWorld({ flags: { extraCreateMetadata: true, controllerPublishReadonly: true, defaultFstype: "ext4" } });
    await world.createClass();
    const { metadata } = await world.createClaim("block", { volumeMode: "Block", accessModes: ["ReadWriteMany"] });
    const { volume } = await world.bound("block");
    expect(volume.spec).toMatchObject({ volumeMode: "Block", accessModes: ["ReadWriteMany"] });
    expect(volume.spec?.csi?.fsType).toBeUndefined();
    await world.createClaim("read", { accessModes: ["ReadOnlyMany"] });
    expect((await world.bound("read")).volume.spec?.csi).toMatchObject({ readOnly: true, fsType: "ext4" });
    const [first] = world.driver.calls("CreateVolume");
    expect(first?.request.volumeCapabilities).toEqual([{ accessMode: { mode: 5 }, accessType: { $case: "block", block: {} } }]);
    expect(first?.request.parameters).toEqual({
      "csi.storage.k8s.io/pvc/name": "block",
      "csi.storage.k8s.io/pvc/namespace": "default",
      "csi.storage.k8s.io/pv/name": `pvc-${metadata?.uid}`,
    });
  });

  test("the parameters of a VolumeAttributesClass", async () => {
    await using world = await startWorld({ driver: { capabilities: "full" }, role: "shipped", gatesOff: ["Topology"] });
    await world.createClass();
    await world.create(VolumeAttributesClass, { metadata: { name: "gold" }, driverName, parameters: { iops: "100" } });
    await world.createClaim("data", { volumeAttributesClassName: "gold" });
    const { volume } = await world.bound("data");
    expect(volume.spec?.volumeAttributesClassName).toBe("gold");
    expect(world.driver.calls("CreateVolume")[0]?.request.mutableParameters).toEqual({ iops: "100" });
  });

  test("secrets, which are nowhere else", async () => {
    const secret = "s3cr3t-of-the-driver";
    await using world = await startWorld({ role: "shipped" });
    world.driver.script("CreateVolume", step.fail("Internal", `cannot log in with ${secret}`));
    await world.create(Secret, { metadata: inDefault("data-credentials"), data: { token: Buffer.from(secret).toString("base64") } });
    const names = (purpose: string) => ({
      [`csi.storage.k8s.io/${purpose}-secret-name`]: `${token("pvc.annotations['who']")}-credentials`,
      [`csi.storage.k8s.io/${purpose}-secret-namespace`]: token("pvc.namespace"),
    });
    await world.createClass("fast", { parameters: { ...names("provisioner"), ...names("node-publish") } });
    await world.createClaim("mine", {}, { annotations: { who: "data" } });
    const { volume } = await world.bound("mine");
    expect(world.driver.calls("CreateVolume").map(({ request }) => request.secrets)).toEqual([{ token: secret }, { token: secret }]);
    expect(volume.spec?.csi?.nodePublishSecretRef).toEqual(inDefault("data-credentials"));
    expect(volume.metadata?.annotations).toMatchObject({
      "volume.kubernetes.io/provisioner-deletion-secret-name": "data-credentials",
      "volume.kubernetes.io/provisioner-deletion-secret-namespace": "default",
    });
    await world.deleteClaim("mine");
    await world.untilGone(PersistentVolume, { name: volume.metadata?.name ?? "" });
    expect(world.driver.calls("DeleteVolume").map(({ request }) => request.secrets)).toEqual([{ token: secret }]);
    await world.stop();
    const { items } = await world.admin.list(Event);
    const text = (value: unknown) =>
      JSON.stringify(value, (_, each) => (each instanceof Error ? String(each.stack) : typeof each === "bigint" ? `${each}` : each));
    expect(text([world.log.lines, items, volume])).not.toContain(secret);
  });

  test("volumes are kept where the class says so, without our finalizer", async () => {
    await using world = await startWorld();
    await world.createClass("fast", { reclaimPolicy: "Retain" });
    await world.createClaim("data");
    const { volume } = await world.bound("data");
    expect(volume.metadata?.finalizers).toEqual(["kubernetes.io/pv-protection"]);
    await world.deleteClaim("data");
    await world.until(PersistentVolume, { name: volume.metadata?.name ?? "" }, ({ status }) => status?.phase === "Released");
    expect(world.driver.calls("DeleteVolume")).toEqual([]);
  });
});

describe("what the driver says", () => {
  test("a request that it will never grant rests; a new class of that name ends the rest", async () => {
    await using world = await startWorld({ flags: { retryIntervalMax: 60_000 } });
    world.driver.script("CreateVolume", step.fail("InvalidArgument", "no such type"));
    await world.createClass("fast", { parameters: { type: "wrong" } });
    await world.createClaim("data");
    const text =
      "Volume provisioning failed with infeasible error. Retries will be delayed. rpc error: code = InvalidArgument desc = no such type";
    await world.untilEvent("data", `ProvisioningFailed: ${text}`);
    expect(world.driver.calls("CreateVolume")).toHaveLength(1);
    await world.admin.delete(StorageClass, { name: "fast" });
    await world.createClass("fast", { parameters: { type: "right" } });
    await world.bound("data");
    expect(world.driver.calls("CreateVolume").map(({ request }) => request.parameters.type)).toEqual(["wrong", "right"]);
  });

  test("a volume that is too small is deleted and created again", async () => {
    await using world = await startWorld();
    world.driver.script(
      "CreateVolume",
      step.reply((_, carryOut) => {
        const { volume } = carryOut();
        return { volume: volume && { ...volume, capacityBytes: 5n } };
      }),
    );
    await world.createClass();
    await world.createClaim("data");
    await world.untilEvent("data", "ProvisioningFailed: created volume capacity 5 less than requested capacity 1073741824");
    const { volume } = await world.bound("data");
    expect(world.driver.calls("DeleteVolume").map(({ request }) => request.volumeId)).toEqual(["vol-1"]);
    expect([...world.driver.volumes.keys()]).toEqual([volume.spec?.csi?.volumeHandle ?? ""]);
  });

  test.each([
    ["no volume", { volume: undefined }, "has no volume"],
    [
      "no id",
      { volume: { volumeId: "", capacityBytes: 0n, volumeContext: {}, contentSource: undefined, accessibleTopology: [] } },
      "has no volume id",
    ],
  ])("an answer with %s is an error, and no end", async (_, answer, text) => {
    await using world = await startWorld();
    world.driver.script("CreateVolume", step.reply(answer));
    await world.createClass();
    await world.createClaim("data");
    await world.untilEvent("data", text);
    await world.bound("data");
  });

  test("a size of 0 means what was asked for; its context goes to the volume", async () => {
    await using world = await startWorld();
    const answer = { volumeId: "v", capacityBytes: 0n, volumeContext: { a: "b" }, contentSource: undefined, accessibleTopology: [] };
    world.driver.script("CreateVolume", step.reply({ volume: answer }));
    await world.createClass();
    await world.createClaim("data", { resources: { requests: { storage: "5905580032" } } });
    const { volume } = await world.bound("data");
    expect(volume.spec?.capacity).toEqual({ storage: "5632Mi" });
    expect(volume.spec?.csi?.volumeAttributes).toMatchObject({ a: "b" });
    expect(volume.spec?.csi?.volumeAttributes?.["storage.kubernetes.io/csiProvisionerIdentity"]).toMatch(/^\d+-\d+-driver\.example\.com$/);
  });

  test("a driver that cannot make volumes: every claim says so", async () => {
    await using world = await startWorld({ driver: { capabilities: "nodeOnly" } });
    await world.createClass();
    await world.createClaim("data");
    await world.untilEvent(
      "data",
      "CSI driver does not support dynamic provisioning: plugin CONTROLLER_SERVICE capability is not reported",
    );
  });
});

test("many claims at once: one call and one request each, none refused", async () => {
  await using world = await startWorld();
  await world.createClass();
  const names = Array.from({ length: 60 }, (_, n) => `data-${n}`);
  await Promise.all(names.map((name) => world.createClaim(name)));
  await Promise.all(names.map((name) => world.bound(name)));
  expect(world.driver.calls("CreateVolume")).toHaveLength(60);
  await Promise.all(names.map((name) => world.deleteClaim(name)));
  await world.untilTrue(async () => (await world.volumes()).length === 0);
  expect(world.driver.calls("DeleteVolume")).toHaveLength(60);
  expect(await world.requests()).toHaveLength(60 * 3);
  expect(await world.refused()).toEqual([]);
});
