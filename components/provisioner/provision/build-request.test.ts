import { describe, expect, test } from "bun:test";
import { cachedClaim, cachedClass, able as driver } from "../testing/cached.ts";
import { driverName, token } from "../testing/manifests.ts";
import { buildRequest, type ProvisionOptions, type RequestInputs } from "./build-request.ts";

const settings: ProvisionOptions["settings"] = {
  timeoutMs: 1_000,
  naming: { prefix: "pvc", uuidLength: -1 },
  defaultFsType: "ext4",
  extraCreateMetadata: false,
  publishReadOnly: false,
  preventModeConversion: true,
  strictTopology: false,
  immediateTopology: true,
  inProgressFinalizer: false,
  cleanupOrphanedVolumes: false,
  crossNamespace: false,
  attributesClasses: true,
};
const options = (parts: Partial<ProvisionOptions> = {}): ProvisionOptions => ({
  ...{ claim: cachedClaim(), class: cachedClass(), selectedNode: undefined, driver, settings, grantsIn: () => [] },
  ...parts,
});

const snapshotClaim = cachedClaim({
  spec: { dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "backup" } },
});
const cloneClaim = cachedClaim({ spec: { dataSource: { kind: "PersistentVolumeClaim", name: "source" } } });
const populatedClaim = cachedClaim({ spec: { dataSource: { apiGroup: "example.com", kind: "Image", name: "x" } } });
const goldClaim = cachedClaim({ spec: { volumeAttributesClassName: "gold" } });
const secret = (name: string) => ({ "csi.storage.k8s.io/secret-name": name, "csi.storage.k8s.io/secret-namespace": "keys" });
const annotated = cachedClass({ parameters: secret(token("pvc.annotations['key']")) });
const anywhere = { requirement: undefined, lastingMs: 0 };
const misplaced = (problem: "no-csinode" | "node-gone" | "no-keys", lastingMs = 0) => ({
  problem,
  error: `no place: ${problem}`,
  lastingMs,
});
const content = { type: { $case: "volume" as const, volume: { volumeId: "v" } } };
const clone: NonNullable<RequestInputs["source"]> = { value: { kind: "claim", content, claim: cachedClaim() } };

/** In a word: what is read, refused or asked for. */
function told(step: ReturnType<typeof buildRequest>): string {
  if (step.step === "read") return `read ${step.input}`;
  return step.step === "refuse" ? `${step.why}: ${step.message}` : "ready";
}

describe("a request is built", () => {
  test.each<[string, Partial<ProvisionOptions>, RequestInputs, string]>([
    ["where the volume may be is read first", {}, {}, "read topology"],
    ["without topology nothing is read", { driver: { ...driver, topology: false } }, {}, "ready"],
    ["and then there is all", {}, { topology: anywhere }, "ready"],
    ["a source before the topology", { claim: cloneClaim }, {}, "read source"],
    ["then the topology", { claim: cloneClaim }, { source: clone }, "read topology"],
    ["a snapshot likewise", { claim: snapshotClaim }, {}, "read source"],
    ["annotations after the topology", { class: annotated }, {}, "read topology"],
    ["then annotations", { class: annotated }, { topology: anywhere }, "read annotations"],
    ["then all", { class: annotated }, { topology: anywhere, annotations: { key: "a" } }, "ready"],
    ["the attributes class last", { claim: goldClaim, class: annotated }, { topology: anywhere }, "read annotations"],
    ["the attributes class", { claim: goldClaim }, { topology: anywhere }, "read attributesClass"],
    ["then all", { claim: goldClaim }, { topology: anywhere, attributesClass: { driverName } }, "ready"],
    [
      "no attributes class where the gate is off",
      { claim: goldClaim, settings: { ...settings, attributesClasses: false } },
      { topology: anywhere },
      "ready",
    ],
  ])("%s", (_, parts, inputs, expected) => {
    expect(told(buildRequest(options(parts), inputs))).toBe(expected);
  });

  test("with all that was read", () => {
    const requirement = { requisite: [{ segments: { zone: "a" } }], preferred: [{ segments: { zone: "a" } }] };
    const asked = options({
      claim: cachedClaim({ spec: { ...cloneClaim.spec, volumeAttributesClassName: "gold" } }),
      class: cachedClass({ ...annotated, parameters: { ...annotated.parameters, type: "ssd", "csi.storage.k8s.io/fstype": "xfs" } }),
      selectedNode: "n",
      settings: { ...settings, extraCreateMetadata: true },
    });
    const step = buildRequest(asked, {
      source: clone,
      topology: { requirement, lastingMs: 0 },
      annotations: { key: "mine" },
      attributesClass: { driverName, parameters: { iops: "9" } },
    });
    expect(step).toMatchObject({
      step: "ready",
      source: clone.value as object,
      request: {
        volumeName: "pvc-claim-uid",
        selectedNode: "n",
        migrated: false,
        fsType: "xfs",
        mustEchoSource: true,
        source: { kind: "claim", ref: { namespace: "default", name: "source" } },
        secrets: { provisioner: { name: "mine", namespace: "keys" } },
        createVolume: {
          name: "pvc-claim-uid",
          capacityRange: { requiredBytes: 1n << 30n, limitBytes: 0n },
          parameters: {
            type: "ssd",
            "csi.storage.k8s.io/pvc/name": "data",
            "csi.storage.k8s.io/pvc/namespace": "default",
            "csi.storage.k8s.io/pv/name": "pvc-claim-uid",
          },
          volumeContentSource: content,
          accessibilityRequirements: requirement,
          mutableParameters: { iops: "9" },
        },
      },
    });
  });

  test("a class of the in-tree plugin is translated for the driver, and kept as it is for the PersistentVolume", () => {
    const inTree = cachedClass({ provisioner: "kubernetes.io/aws-ebs", parameters: { fstype: "xfs", type: "gp3" } });
    const ebs = { ...driver, name: "ebs.csi.aws.com", inTreeName: "kubernetes.io/aws-ebs", topology: false };
    expect(buildRequest(options({ class: inTree, driver: ebs }), {})).toMatchObject({
      request: { migrated: true, class: inTree, fsType: "xfs", createVolume: { parameters: { type: "gp3" } } },
    });
  });
});

describe("no request, and nothing is read after what is wrong", () => {
  const otherNamespace = { dataSourceRef: { apiGroup: "", kind: "PersistentVolumeClaim", name: "source", namespace: "prod" } };
  test.each<[string, Partial<ProvisionOptions>, RequestInputs, string]>([
    ["left to a populator", { claim: populatedClaim }, {}, "populator: a populator provides the volume"],
    [
      "a source of another namespace, gate off",
      { claim: cachedClaim({ spec: otherNamespace }) },
      {},
      "error: dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled",
    ],
    [
      "a source that is not granted",
      { claim: cachedClaim({ spec: otherNamespace }), settings: { ...settings, crossNamespace: true } },
      {},
      "error: accessing prod/source of PersistentVolumeClaim dataSource from default/data isn't allowed",
    ],
    [
      "a driver that cannot clone",
      { claim: cloneClaim, driver: { ...driver, clonesVolumes: false } },
      {},
      "error: CSI driver does not support clone operations: controller CLONE_VOLUME capability is not reported",
    ],
    [
      "a driver that cannot modify",
      { claim: goldClaim, driver: { ...driver, modifiesVolumes: false } },
      {},
      "error: CSI driver does not support VolumeAttributesClass: controller MODIFY_VOLUME capability is not reported",
    ],
    ["a selector", { claim: cachedClaim({ spec: { selector: {} } }) }, {}, "error: claim Selector is not supported"],
    [
      "an unknown access mode, before the source is read",
      { claim: cachedClaim({ spec: { ...cloneClaim.spec, accessModes: ["Sometimes" as "ReadWriteOnce"] } }) },
      {},
      "error: unsupported AccessMode combination: [Sometimes]",
    ],
    ["a source that cannot be used", { claim: cloneClaim }, { source: { error: "unusable" } }, "error: unusable"],
    ["no place on the node", {}, { topology: misplaced("no-keys", 60_000) }, "error: no place: no-keys"],
    ["no driver on the node", {}, { topology: misplaced("no-csinode") }, "reschedule: no place: no-csinode"],
    ["the node is gone", {}, { topology: misplaced("node-gone") }, "error: no place: node-gone"],
    ["the node is gone for long", {}, { topology: misplaced("node-gone", 30_000) }, "reschedule: no place: node-gone"],
    [
      "a secret that no annotation names",
      { class: annotated },
      { topology: anywhere, annotations: {} },
      `error: error resolving value "${token("pvc.annotations['key']")}": invalid tokens: ["pvc.annotations['key']"]`,
    ],
    [
      "an unknown parameter, before the attributes class is read",
      { claim: goldClaim, class: cachedClass({ parameters: { "csi.storage.k8s.io/bim": "b" } }) },
      { topology: anywhere },
      'error: failed to strip CSI Parameters of prefixed keys: found unknown parameter key "csi.storage.k8s.io/bim" with reserved namespace csi.storage.k8s.io/',
    ],
    [
      "an attributes class of another driver",
      { claim: goldClaim },
      { topology: anywhere, attributesClass: { driverName: "other" } },
      `error: VAC gold referenced in PVC is for driver other which does not match driver name ${driverName}`,
    ],
  ])("%s", (_, parts, inputs, expected) => {
    expect(told(buildRequest(options(parts), inputs))).toBe(expected);
  });
});
