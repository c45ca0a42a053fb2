import { describe, expect, test } from "bun:test";
import { AccessMode } from "@csi-sidecars/csi";
import { cachedClaim, cachedClass, provisionRequest } from "../testing/cached.ts";
import { driverName } from "../testing/manifests.ts";
import { persistentVolume } from "./persistent-volume.ts";

describe("the PersistentVolume", () => {
  const created = { id: "handle", bytes: 5905580032n, context: { a: "b" }, accessibleTopology: [{ segments: { zone: "z" } }] };
  const options = {
    driver: { name: driverName, topology: true },
    identity: "me",
    finalizers: [],
    publishReadOnly: true,
    attributesClasses: true,
  };

  test("is complete", () => {
    const claim = cachedClaim({ spec: { volumeMode: "Filesystem", volumeAttributesClassName: "gold" } });
    const storageClass = cachedClass({ reclaimPolicy: "Delete", mountOptions: ["ro"] });
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
    expect(persistentVolume(provisionRequest({ claim, class: storageClass, secrets }), created, options)).toEqual({
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
    const { spec } = persistentVolume(provisionRequest({ claim }), created, {
      ...options,
      driver: { ...options.driver, topology: false },
      attributesClasses: false,
    });
    expect([spec?.csi?.fsType, spec?.nodeAffinity, spec?.volumeAttributesClassName]).toEqual([undefined, undefined, undefined]);
  });

  test("is read-only only where the flag says so and nobody writes", () => {
    const { createVolume: request } = provisionRequest();
    const reading: typeof request = { ...request, volumeCapabilities: [{ accessMode: { mode: AccessMode.MULTI_NODE_READER_ONLY } }] };
    const readOnly = (flag: boolean, asked = reading) =>
      persistentVolume(provisionRequest({ createVolume: asked }), created, { ...options, publishReadOnly: flag }).spec?.csi?.readOnly;
    expect([readOnly(true), readOnly(false), readOnly(true, request)]).toEqual([true, undefined, undefined]);
  });

  test("needs no finalizer where it is kept anyway", () => {
    const finalizers = (reclaimPolicy: "Retain" | undefined) =>
      persistentVolume(provisionRequest({ class: cachedClass({ reclaimPolicy }) }), created, options).metadata?.finalizers;
    expect([finalizers("Retain"), finalizers(undefined)?.length]).toEqual([undefined, 1]);
  });

  test("has what other controllers of the process want on it", () => {
    const finalizers = (reclaimPolicy: "Retain" | "Delete") =>
      persistentVolume(provisionRequest({ class: cachedClass({ reclaimPolicy }) }), created, { ...options, finalizers: ["theirs"] })
        .metadata?.finalizers;
    expect([finalizers("Retain"), finalizers("Delete")]).toEqual([
      ["theirs"],
      ["external-provisioner.volume.kubernetes.io/finalizer", "theirs"],
    ]);
  });
});
