import { describe, expect, test } from "bun:test";
import type { Attachment, Volume } from "../fields.ts";
import { able, cachedClass, cachedVolume } from "../testing/cached.ts";
import { driverName, token } from "../testing/manifests.ts";
import { type DeleteVolumeOptions, isVolumeOurs, planDelete, planVolume } from "./plan-volume.ts";

const names = { name: driverName, inTreeName: "kubernetes.io/old" };
const migratedTo = "pv.kubernetes.io/migrated-to";

describe("whose a volume is", () => {
  const by = "pv.kubernetes.io/provisioned-by";
  const inTree = { csi: undefined, awsElasticBlockStore: { volumeID: "vol-1" } };
  test.each<[string, Volume, boolean]>([
    ["made by us", cachedVolume({ metadata: { annotations: { [by]: driverName } } }), true],
    ["made by the plugin we replaced", cachedVolume({ metadata: { annotations: { [by]: names.inTreeName } }, spec: inTree }), true],
    ["made by another, migrated to us", cachedVolume({ metadata: { annotations: { [by]: "other", [migratedTo]: driverName } } }), true],
    ["made by another", cachedVolume({ metadata: { annotations: { [by]: "other" } } }), false],
    ["made by hand, ours", cachedVolume(), true],
    ["made by hand, another's", cachedVolume({ spec: { csi: { driver: "other", volumeHandle: "h" } } }), false],
    [
      "made by hand, in-tree, migrated to us",
      cachedVolume({ metadata: { annotations: { [migratedTo]: driverName } }, spec: inTree }),
      true,
    ],
    ["made by hand, in-tree", cachedVolume({ spec: inTree }), false],
  ])("%s", (_, volume, ours) => {
    expect(isVolumeOurs(volume, names)).toBe(ours);
  });
});

describe("what a volume asks for", () => {
  const ours = "external-provisioner.volume.kubernetes.io/finalizer";
  const held = { finalizers: ["a", ours] };
  const gone = { deletionTimestamp: "now" };
  test.each<[string, Volume, string]>([
    ["released", cachedVolume(), "delete"],
    ["released and held", cachedVolume({ metadata: held }), "delete"],
    ["released, held, being deleted", cachedVolume({ metadata: { ...held, ...gone } }), "delete"],
    ["released, being deleted, not held", cachedVolume({ metadata: gone }), "none"],
    ["failed", cachedVolume({ status: { phase: "Failed" } }), "none"],
    ["in use, not held", cachedVolume({ status: { phase: "Bound" } }), "protect"],
    ["in use, being deleted, not held", cachedVolume({ metadata: gone, status: { phase: "Bound" } }), "none"],
    ["in use, held", cachedVolume({ metadata: held, status: { phase: "Bound" } }), "none"],
    ["to be kept, held", cachedVolume({ metadata: held, spec: { persistentVolumeReclaimPolicy: "Retain" } }), "unprotect"],
    ["to be kept", cachedVolume({ spec: { persistentVolumeReclaimPolicy: "Retain" } }), "none"],
    [
      "made by hand, in-tree, migrated to us, in use",
      cachedVolume({
        metadata: { annotations: { [migratedTo]: driverName } },
        spec: { csi: undefined, awsElasticBlockStore: { volumeID: "vol-1" } },
        status: { phase: "Bound" },
      }),
      "protect",
    ],
    ["recycled, held", cachedVolume({ metadata: held, spec: { persistentVolumeReclaimPolicy: "Recycle" } }), "unprotect"],
    ["free, not held", cachedVolume({ status: { phase: "Available" } }), "none"],
    ["another's", cachedVolume({ spec: { csi: { driver: "other", volumeHandle: "h" } } }), "none"],
  ])("%s", (_, volume, step) => {
    expect(planVolume(volume, names).step).toBe(step as never);
  });

  test("patches name our finalizer alone", () => {
    const held = cachedVolume({ metadata: { finalizers: ["a"] }, status: { phase: "Bound" } });
    expect(planVolume(held, names)).toEqual({
      step: "protect",
      patch: {
        type: "strategic",
        body: { metadata: { uid: "volume-uid", finalizers: [ours], "$setElementOrder/finalizers": ["a", ours] } },
      },
    });
  });
});

describe("how a volume is deleted", () => {
  const options: DeleteVolumeOptions = { driver: able, classOf: () => undefined, attachments: [], localNode: undefined };
  const secretOf = (name: string) => ({
    parameters: { "csi.storage.k8s.io/secret-name": name, "csi.storage.k8s.io/secret-namespace": "x" },
  });
  const remembered = (name: string, namespace: string) => ({
    annotations: {
      "volume.kubernetes.io/provisioner-deletion-secret-name": name,
      "volume.kubernetes.io/provisioner-deletion-secret-namespace": namespace,
    },
  });
  const affinity = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }] } } as const;
  const attachment = { spec: { nodeName: "n", source: {} } } as Attachment;
  const call = { step: "delete", volumeId: "handle-1", secret: undefined, migrated: false };
  test.each<[string, Volume, Partial<DeleteVolumeOptions>, object]>([
    ["plainly", cachedVolume(), {}, call],
    ["not without a CSI source", cachedVolume({ spec: { csi: undefined } }), {}, { step: "report", message: "invalid CSI PV" }],
    [
      "not while attached",
      cachedVolume(),
      { attachments: [attachment] },
      { step: "report", message: "persistentvolume pv-1 is still attached to node n" },
    ],
    [
      "not by a driver that cannot",
      cachedVolume(),
      { driver: { ...able, createsVolumes: false } },
      {
        step: "report",
        message: "CSI driver does not support dynamic provisioning: controller CREATE_DELETE_VOLUME capability is not reported",
      },
    ],
    [
      "with the secret it remembers",
      cachedVolume({ metadata: remembered("s", "n") }),
      { classOf: () => cachedClass(secretOf("other")) },
      { ...call, secret: { name: "s", namespace: "n" } },
    ],
    [
      "with none if half is missing",
      cachedVolume({ metadata: remembered("s", "") }),
      { classOf: () => cachedClass(secretOf("other")) },
      call,
    ],
    ["with none if it remembers none", cachedVolume({ metadata: remembered("", "") }), { classOf: () => cachedClass(secretOf("x")) }, call],
    [
      "not with a secret that an annotation names",
      cachedVolume(),
      { classOf: () => cachedClass(secretOf(token("pvc.annotations['x']"))) },
      {
        step: "report",
        message: `failed to get secretreference for volume pv-1: error resolving value "${token("pvc.annotations['x']")}": invalid tokens: ["pvc.annotations['x']"]`,
      },
    ],
    [
      "with its class's secret",
      cachedVolume(),
      { classOf: () => cachedClass(secretOf(token("pvc.name"))) },
      { ...call, secret: { name: "data", namespace: "x" } },
    ],
    [
      "with none without a claim",
      cachedVolume({ spec: { claimRef: undefined } }),
      { classOf: () => cachedClass(secretOf(token("pvc.name"))) },
      call,
    ],
    ["on its node", cachedVolume({ spec: { nodeAffinity: affinity } }), { localNode: { zone: "a" } }, call],
    ["not on another node", cachedVolume({ spec: { nodeAffinity: affinity } }), { localNode: { zone: "b" } }, { step: "leave" }],
    [
      "translated",
      cachedVolume({ spec: { csi: undefined, awsElasticBlockStore: { volumeID: "aws://z/vol-1" } } }),
      { driver: { ...able, name: "ebs.csi.aws.com", inTreeName: "kubernetes.io/aws-ebs" } },
      { ...call, volumeId: "vol-1", migrated: true },
    ],
  ])("%s", (_, volume, parts, expected) => {
    expect(planDelete(volume, { ...options, ...parts })).toEqual(expected as never);
  });
});
