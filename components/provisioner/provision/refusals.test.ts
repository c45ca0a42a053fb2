import { describe, expect, test } from "bun:test";
import { PersistentVolume, PersistentVolumeClaim, Secret, VolumeAttributesClass } from "@csi-sidecars/kube";
import { presets, step } from "@csi-sidecars/testcluster";
import { claim, driverName, inDefault, staticVolume, token } from "../testing/manifests.ts";
import { startWorld } from "../testing/provisioner-world.ts";

const prefix = "csi.storage.k8s.io";

describe("what is wrong with a claim or its class is told, and the driver is not asked", () => {
  test("class parameters, selector", async () => {
    await using world = await startWorld();
    const rows: readonly [string, Record<string, string>, object, string][] = [
      ["unknown", { [`${prefix}/bim`]: "x" }, {}, 'found unknown parameter key "csi.storage.k8s.io/bim" with reserved namespace'],
      ["both", { fsType: "a", [`${prefix}/fstype`]: "b" }, {}, 'with both "fstype" and "csi.storage.k8s.io/fstype" keys'],
      [
        "half",
        { [`${prefix}/node-stage-secret-name`]: "a" },
        {},
        "either name and namespace for NodeStage secrets specified, Both must be specified",
      ],
      [
        "token",
        { [`${prefix}/secret-name`]: token("pvc.uid"), [`${prefix}/secret-namespace`]: "default" },
        {},
        'invalid tokens: ["pvc.uid"]',
      ],
      [
        "absent",
        { [`${prefix}/provisioner-secret-name`]: "no", [`${prefix}/provisioner-secret-namespace`]: "default" },
        {},
        'error getting secret no in namespace default: secrets "no" not found',
      ],
      ["selector", {}, { selector: { matchLabels: { a: "b" } } }, "claim Selector is not supported"],
    ];
    for (const [name, parameters, spec] of rows) {
      await world.createClass(name, { parameters });
      await world.createClaim(name, { storageClassName: name, ...spec });
    }
    for (const [name, , , text] of rows) await world.untilEvent(name, text);
    expect(world.driver.calls("CreateVolume")).toEqual([]);
    for (const [name] of rows) {
      expect(await world.metrics()).toContain(`controller_persistentvolumeclaim_provision_failed_total{class="${name}",source=""}`);
    }
  });

  test("what the driver cannot do", async () => {
    await using world = await startWorld({ role: "shipped" });
    await world.createClass();
    await world.createClaim("copy", { dataSource: { kind: "PersistentVolumeClaim", name: "x" } });
    await world.createClaim("restored", { dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "x" } });
    await world.createClaim("gold", { volumeAttributesClassName: "gold" });
    await world.untilEvent("copy", "CSI driver does not support clone operations: controller CLONE_VOLUME capability is not reported");
    await world.untilEvent("restored", "CSI driver does not support snapshot restore: controller CREATE_DELETE_SNAPSHOT capability");
    await world.untilEvent(
      "gold",
      "CSI driver does not support VolumeAttributesClass: controller MODIFY_VOLUME capability is not reported",
    );
    expect(world.driver.calls("CreateVolume")).toEqual([]);
  });

  const modifying = { ...presets.minimal, controller: ["CREATE_DELETE_VOLUME", "MODIFY_VOLUME"] } as const;

  test("a VolumeAttributesClass that is missing, or another driver's; it is served as soon as it is there", async () => {
    await using world = await startWorld({ driver: { capabilities: modifying }, role: "shipped" });
    await world.createClass();
    await world.create(VolumeAttributesClass, { metadata: { name: "foreign" }, driverName: "other.example.com", parameters: { a: "b" } });
    await world.createClaim("theirs", { volumeAttributesClassName: "foreign" });
    await world.createClaim("early", { volumeAttributesClassName: "late" });
    const text = `VAC foreign referenced in PVC is for driver other.example.com which does not match driver name ${driverName}`;
    await world.untilEvent("theirs", text);
    await world.untilEvent("early", 'volumeattributesclasses.storage.k8s.io "late" not found');
    expect(world.driver.calls("CreateVolume")).toEqual([]);
    await world.create(VolumeAttributesClass, { metadata: { name: "late" }, driverName, parameters: { iops: "1" } });
    await world.bound("early");
    expect(world.driver.calls("CreateVolume").map(({ request }) => request.mutableParameters)).toEqual([{ iops: "1" }]);
  });

  test("without the gate nobody looks at VolumeAttributesClasses", async () => {
    await using world = await startWorld({ gatesOff: ["VolumeAttributesClass"] });
    await world.createClass();
    const annotations = { "volume.kubernetes.io/storage-provisioner": driverName };
    const { metadata } = await world.create(PersistentVolumeClaim, claim("data", { volumeAttributesClassName: "gold" }, { annotations }));
    const { spec } = await world.until(PersistentVolume, { name: `pvc-${metadata?.uid}` }, () => true);
    expect(spec?.volumeAttributesClassName).toBeUndefined();
    expect(world.driver.calls("CreateVolume")[0]?.request.mutableParameters).toEqual({});
  });
});

test("a claim whose volume is there already gets no second one, whatever volumes are called", async () => {
  await using world = await startWorld({ controllers: false, stopped: true, flags: { volumeNamePrefix: "vol", volumeNameUuidLength: 8 } });
  await world.createClass();
  const annotations = { "volume.kubernetes.io/storage-provisioner": driverName };
  const { metadata } = await world.create(PersistentVolumeClaim, claim("data", {}, { annotations }));
  const uid = metadata?.uid ?? "";
  const claimRef = { kind: "PersistentVolumeClaim", ...inDefault("data"), uid };
  await world.create(PersistentVolume, staticVolume(`vol-${uid.replaceAll("-", "").slice(0, 8)}`, { claimRef }));
  const witness = await world.create(PersistentVolumeClaim, claim("witness", {}, { annotations }));
  await world.run();
  await world.until(PersistentVolume, { name: `vol-${witness.metadata?.uid?.replaceAll("-", "").slice(0, 8)}` }, () => true);
  expect(world.driver.calls("CreateVolume")).toHaveLength(1);
  expect(await world.metrics()).not.toContain("provision_failed_total{");
});

test("a secret that goes away while the driver works does not end the work, and neither does the end of the claim", async () => {
  await using world = await startWorld({ flags: { timeout: 200 } });
  const key = { metadata: inDefault("key"), stringData: { token: "t" } };
  await world.admin.create(Secret, key);
  const parameters = { [`${prefix}/provisioner-secret-name`]: "key", [`${prefix}/provisioner-secret-namespace`]: "default" };
  await world.createClass("fast", { parameters });
  world.driver.always("CreateVolume", step.hangAfter);
  await world.createClaim("data");
  await world.untilEvent("data", "DeadlineExceeded");
  await world.admin.delete(Secret, inDefault("key"));
  await world.untilEvent("data", "error getting secret key in namespace default");
  await world.deleteClaim("data");
  await world.untilGone(PersistentVolumeClaim, inDefault("data"));
  expect(await world.metrics()).toContain("claims_in_progress 1");
  world.driver.always("CreateVolume", step.act);
  await world.admin.create(Secret, key);
  await world.driver.called("DeleteVolume", 1, 25_000);
  await world.untilTrue(async () => (await world.volumes()).length === 0);
  expect(world.driver.volumes.size).toBe(0);
}, 30_000);
