import { describe, expect, test } from "bun:test";
import { AccessMode, type Volume } from "@csi-sidecars/csi";
import { cachedClaim, cachedClass, preparation } from "../testing/cached.ts";
import { driverName } from "../testing/manifests.ts";
import { checkAnswer } from "./check-answer.ts";
import { volumeObject } from "./volume-object.ts";

const answered: Volume = { volumeId: "v", capacityBytes: 2048n, volumeContext: {}, contentSource: undefined, accessibleTopology: [] };

describe("what the driver answered", () => {
  const zone = "topology.example.com/zone";
  const anyKey = (_: string) => true;
  const noKey = (_: string) => false;
  const check = (volume: Volume | undefined, asked = preparation(), isOnSomeNode = anyKey) => checkAnswer({ volume }, asked, isOnSomeNode);

  test("is taken as it is", () => {
    expect(check(answered)).toEqual({ kind: "good", volume: { id: "v", bytes: 2048n, context: {}, accessibleTopology: [] } });
  });

  test.each([
    ["no volume", undefined, "the driver's answer to CreateVolume has no volume", undefined],
    ["no id", { ...answered, volumeId: "" }, "the driver's answer to CreateVolume has no volume id", undefined],
    ["too small", { ...answered, capacityBytes: 5n }, "created volume capacity 5 less than requested capacity 1024", "v"],
    ["smaller than nothing", { ...answered, capacityBytes: -1n }, "created volume capacity -1 less than requested capacity 1024", "v"],
  ])("%s", (_, volume, error, volumeId) => {
    expect(check(volume)).toEqual({ kind: "bad", error, volumeId });
  });

  test("a size of 0 means the size that was asked for", () => {
    expect(check({ ...answered, capacityBytes: 0n })).toMatchObject({ kind: "good", volume: { bytes: 1024n } });
  });

  const ofVolume = (volumeId: string) => ({ type: { $case: "volume" as const, volume: { volumeId } } });
  const ofSnapshot = { type: { $case: "snapshot" as const, snapshot: { snapshotId: "s" } } };
  test.each([
    ["not said", undefined, "volume content source missing"],
    ["said without a kind", {}, "volume content source missing"],
    ["another kind", ofSnapshot, "volume content source is a snapshot, but a volume was asked for"],
    ["the same", ofVolume("x"), undefined],
    ["the same in another spelling", ofVolume("https://storage/x"), undefined],
  ])("what a clone was filled with: %s", (_, contentSource, error) => {
    const asked = preparation({ mustEchoSource: true, request: { ...preparation().request, volumeContentSource: ofVolume("x") } });
    const found = check({ ...answered, contentSource }, asked);
    expect(found).toMatchObject(error === undefined ? { kind: "good" } : { kind: "bad", error, volumeId: "v" });
  });

  test("a volume that was to be empty may tell what it was filled with", () => {
    expect(check({ ...answered, contentSource: ofSnapshot }).kind).toBe("good");
  });

  test("places must be told by keys that were asked for or that nodes have", () => {
    const volume = { ...answered, accessibleTopology: [{ segments: { [zone]: "a", "example.com/rack": "7" } }] };
    const requisite = [{ segments: { [zone]: "a" } }];
    const accessibilityRequirements = { requisite, preferred: requisite };
    const asked = preparation({ request: { ...preparation().request, accessibilityRequirements } });
    const error = "the driver placed the volume by topology keys that no node has: example.com/rack";
    expect(check(volume, asked, noKey)).toEqual({ kind: "bad", error, volumeId: "v" });
    expect(check(volume, asked, (key) => key === "example.com/rack").kind).toBe("good");
  });
});

describe("the PersistentVolume", () => {
  const created = { id: "handle", bytes: 5905580032n, context: { a: "b" }, accessibleTopology: [{ segments: { zone: "z" } }] };
  const facts = {
    driver: { name: driverName, topology: true },
    identity: "me",
    finalizers: [],
    readOnlyWhereOnlyRead: true,
    attributesClasses: true,
  };

  test("is complete", () => {
    const claim = cachedClaim({ spec: { volumeMode: "Filesystem", volumeAttributesClassName: "gold" } });
    const of = cachedClass({ reclaimPolicy: "Delete", mountOptions: ["ro"] });
    const ref = (name: string) => ({ name, namespace: "n" });
    const secrets = {
      provisioner: ref("p"),
      controllerPublish: ref("cp"),
      nodeStage: ref("ns"),
      nodePublish: ref("np"),
      controllerExpand: ref("ce"),
      nodeExpand: ref("ne"),
      controllerModify: ref("cm"),
    };
    expect(volumeObject(preparation({ claim, class: of, secrets }), created, facts)).toEqual({
      metadata: {
        name: "pvc-claim-uid",
        annotations: {
          "pv.kubernetes.io/provisioned-by": driverName,
          "volume.kubernetes.io/provisioner-deletion-secret-name": "p",
          "volume.kubernetes.io/provisioner-deletion-secret-namespace": "n",
          "volume.kubernetes.io/controller-modify-secret-name": "cm",
          "volume.kubernetes.io/controller-modify-secret-namespace": "n",
        },
        finalizers: ["external-provisioner.volume.kubernetes.io/finalizer"],
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "5632Mi" },
        claimRef: {
          kind: "PersistentVolumeClaim",
          apiVersion: "v1",
          name: "data",
          namespace: "default",
          uid: "claim-uid",
          resourceVersion: "1",
        },
        csi: {
          driver: driverName,
          volumeHandle: "handle",
          fsType: "ext4",
          volumeAttributes: { "storage.kubernetes.io/csiProvisionerIdentity": "me", a: "b" },
          controllerPublishSecretRef: ref("cp"),
          nodeStageSecretRef: ref("ns"),
          nodePublishSecretRef: ref("np"),
          controllerExpandSecretRef: ref("ce"),
          nodeExpandSecretRef: ref("ne"),
        },
        mountOptions: ["ro"],
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["z"] }] }] } },
        persistentVolumeReclaimPolicy: "Delete",
        storageClassName: "fast",
        volumeAttributesClassName: "gold",
        volumeMode: "Filesystem",
      },
    });
  });

  test("has no file system as a block device, no place without topology, no attributes class without the gate", () => {
    const claim = cachedClaim({ spec: { volumeMode: "Block", volumeAttributesClassName: "gold" } });
    const { spec } = volumeObject(preparation({ claim }), created, {
      ...facts,
      driver: { ...facts.driver, topology: false },
      attributesClasses: false,
    });
    expect([spec?.csi?.fsType, spec?.nodeAffinity, spec?.volumeAttributesClassName]).toEqual([undefined, undefined, undefined]);
  });

  test("is read-only only where the flag says so and nobody writes", () => {
    const { request } = preparation();
    const reading: typeof request = { ...request, volumeCapabilities: [{ accessMode: { mode: AccessMode.MULTI_NODE_READER_ONLY } }] };
    const readOnly = (flag: boolean, asked = reading) =>
      volumeObject(preparation({ request: asked }), created, { ...facts, readOnlyWhereOnlyRead: flag }).spec?.csi?.readOnly;
    expect([readOnly(true), readOnly(false), readOnly(true, request)]).toEqual([true, undefined, undefined]);
  });

  test("needs no finalizer where it is kept anyway", () => {
    const finalizers = (reclaimPolicy: "Retain" | undefined) =>
      volumeObject(preparation({ class: cachedClass({ reclaimPolicy }) }), created, facts).metadata?.finalizers;
    expect([finalizers("Retain"), finalizers(undefined)?.length]).toEqual([undefined, 1]);
  });

  test("has what other controllers of the process want on it", () => {
    const finalizers = (reclaimPolicy: "Retain" | "Delete") =>
      volumeObject(preparation({ class: cachedClass({ reclaimPolicy }) }), created, { ...facts, finalizers: ["theirs"] }).metadata
        ?.finalizers;
    expect([finalizers("Retain"), finalizers("Delete")]).toEqual([
      ["theirs"],
      ["external-provisioner.volume.kubernetes.io/finalizer", "theirs"],
    ]);
  });
});
