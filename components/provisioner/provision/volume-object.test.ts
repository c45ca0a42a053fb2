import { describe, expect, test } from "bun:test";
import { AccessMode, type Volume } from "@csi-sidecars/csi";
import { cachedClaim, cachedClass, preparation } from "../testing/cached.ts";
import { driverName } from "../testing/manifests.ts";
import { checkAnswer } from "./check-answer.ts";
import { volumeObject } from "./volume-object.ts";

const answered: Volume = { volumeId: "v", capacityBytes: 2048n, volumeContext: {}, contentSource: undefined, accessibleTopology: [] };

describe("what the driver answered", () => {
  test("is taken as it is", () => {
    expect(checkAnswer({ volume: answered }, preparation())).toEqual({
      kind: "good",
      volume: { id: "v", bytes: 2048n, context: {}, accessibleTopology: [] },
    });
  });

  test.each([
    ["no volume", undefined, "the driver's answer to CreateVolume has no volume", undefined],
    ["no id", { ...answered, volumeId: "" }, "the driver's answer to CreateVolume has no volume id", undefined],
    ["too small", { ...answered, capacityBytes: 5n }, "created volume capacity 5 less than requested capacity 1024", "v"],
  ])("%s", (_, volume, error, volumeId) => {
    expect(checkAnswer({ volume }, preparation())).toEqual({ kind: "bad", error, volumeId });
  });

  test("a size of 0 means the size that was asked for", () => {
    expect(checkAnswer({ volume: { ...answered, capacityBytes: 0n } }, preparation())).toMatchObject({
      kind: "good",
      volume: { bytes: 1024n },
    });
  });

  test("must say what the volume was filled with, if that was asked for", () => {
    const asked = preparation({ mustEchoSource: true });
    expect(checkAnswer({ volume: answered }, asked)).toEqual({ kind: "bad", error: "volume content source missing", volumeId: "v" });
    const contentSource = { type: { $case: "volume" as const, volume: { volumeId: "x" } } };
    expect(checkAnswer({ volume: { ...answered, contentSource } }, asked).kind).toBe("good");
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
