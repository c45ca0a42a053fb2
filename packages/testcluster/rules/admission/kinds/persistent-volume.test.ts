import { describe, expect, test } from "bun:test";
import { PersistentVolume } from "@csi-sidecars/kube";
import { admitCreate, admitUpdate } from "../admission.ts";
import { context, merged, refusal } from "../testing/attempts.ts";

const metadata = { name: "pv" };
const csi = { driver: "a.b", volumeHandle: "x" };
const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], csi };

test("a new volume is pending, protected, retained and canonical", () => {
  const given = { metadata, spec: { ...spec, capacity: { storage: "1024Mi" } }, status: { phase: "Bound" } };
  expect(admitCreate(PersistentVolume, given, context())).toEqual({
    metadata: { name: "pv", finalizers: ["kubernetes.io/pv-protection"] },
    spec: { ...spec, persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" },
    status: { phase: "Pending", lastPhaseTransitionTime: "2026-01-01T00:00:00Z" },
  });
});

describe("a new volume that is refused", () => {
  const cases: [behaviour: string, spec: object, message: string][] = [
    [
      "without anything",
      {},
      '[spec.accessModes: Required value, spec.capacity: Required value, spec.capacity: Unsupported value: null: supported values: "storage", spec: Required value: must specify a volume type]',
    ],
    ["an empty CSI source", { ...spec, csi: {} }, "[spec.csi.driver: Required value, spec.csi.volumeHandle: Required value]"],
    ["two sources", { ...spec, hostPath: { path: "/x" } }, "spec.csi: Forbidden: may not specify more than 1 volume type"],
    [
      "a negative capacity",
      { ...spec, capacity: { storage: "-1" } },
      '[spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity, spec.capacity[storage]: Invalid value: "-1": must be greater than zero]',
    ],
    [
      "an unknown reclaim policy",
      { ...spec, persistentVolumeReclaimPolicy: "Foo" },
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "Foo": supported values: "Delete", "Recycle", "Retain"',
    ],
    [
      "a secret without namespace",
      { ...spec, csi: { ...csi, controllerPublishSecretRef: { name: "x" } } },
      "spec.csi.controllerPublishSecretRef.namespace: Required value",
    ],
    [
      "an empty attributes class",
      { ...spec, volumeAttributesClassName: "" },
      "spec.volumeAttributesClassName: Required value: an empty string is disallowed",
    ],
    [
      "an affinity to nothing",
      { ...spec, nodeAffinity: {} },
      "spec.nodeAffinity.required: Required value: must specify required node constraints",
    ],
  ];
  test.each(cases)("%s", (_, given, message) => {
    const attempt = () => admitCreate(PersistentVolume, { metadata, spec: given }, context());
    expect(refusal(attempt)).toBe(`PersistentVolume "pv" is invalid: ${message}`);
  });
});

const stored = {
  metadata,
  spec: { ...spec, persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" },
  status: { phase: "Pending", lastPhaseTransitionTime: "2020-01-01T00:00:00Z" },
};
const affinity = (value: string) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values: [value] }] }] },
});
const pinned = { ...stored, spec: { ...stored.spec, nodeAffinity: affinity("x"), volumeAttributesClassName: "gold" } };
const secret = { name: "s", namespace: "n" };
const change = (old: object, patch: object, subresource?: "status") => () =>
  admitUpdate(PersistentVolume, { ...old }, merged(old, patch), subresource ? { subresource } : {}, context());

describe("a change of a volume that is accepted", () => {
  const cases: [behaviour: string, old: object, patch: object][] = [
    ["another capacity", stored, { spec: { capacity: { storage: "2Gi" } } }],
    [
      "other modes, policy, class and mount options",
      stored,
      { spec: { accessModes: ["ReadWriteMany"], persistentVolumeReclaimPolicy: "Delete", storageClassName: "sc", mountOptions: ["a"] } },
    ],
    ["the secret for expansion, once", stored, { spec: { csi: { controllerExpandSecretRef: secret } } }],
    ["an affinity where there was none", stored, { spec: { nodeAffinity: affinity("x") } }],
    ["another attributes class", pinned, { spec: { volumeAttributesClassName: "silver" } }],
    [
      "another capacity next to a secret for expansion",
      { ...stored, spec: { ...stored.spec, csi: { ...csi, controllerExpandSecretRef: secret } } },
      { spec: { capacity: { storage: "2Gi" } } },
    ],
    ["a claim", stored, { spec: { claimRef: { name: "c", namespace: "ns", uid: "u" } } }],
    ["defaults of the source written out", stored, { spec: { csi: { readOnly: false, fsType: "", volumeAttributes: {} } } }],
  ];
  test.each(cases)("%s", (_, old, patch) => {
    expect(change(old, patch)()).toMatchObject({ ...patch });
  });

  test("a new phase is dated, an old one keeps its date", () => {
    expect(change(stored, { status: { phase: "Bound" } }, "status")().status).toEqual({
      phase: "Bound",
      lastPhaseTransitionTime: "2026-01-01T00:00:00Z",
    });
    expect(change(stored, { status: { message: "m" } }, "status")().status).toEqual({ ...stored.status, message: "m" });
  });
});

describe("a change of a volume that is refused", () => {
  const source = "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation";
  const secured = { ...stored, spec: { ...stored.spec, csi: { ...csi, controllerExpandSecretRef: secret } } };
  const cases: [behaviour: string, old: object, patch: object, message: string][] = [
    ["another handle", stored, { spec: { csi: { volumeHandle: "y" } } }, source],
    ["other attributes", stored, { spec: { csi: { volumeAttributes: { a: "b" } } } }, source],
    ["the secret for staging", stored, { spec: { csi: { nodeStageSecretRef: secret } } }, source],
    ["another secret for expansion", secured, { spec: { csi: { controllerExpandSecretRef: { name: "z" } } } }, source],
    ["read only", stored, { spec: { csi: { readOnly: true } } }, source],
    ["another mode", stored, { spec: { volumeMode: "Block" } }, 'volumeMode: Invalid value: "Block": field is immutable'],
    [
      "no affinity any more",
      pinned,
      { spec: { nodeAffinity: null } },
      "nodeAffinity: Invalid value: null: field is immutable, except for updating from beta label to GA",
    ],
    [
      "no attributes class any more",
      pinned,
      { spec: { volumeAttributesClassName: null } },
      "spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden",
    ],
  ];
  test.each(cases)("%s", (_, old, patch, message) => {
    expect(refusal(change(old, patch))).toBe(`PersistentVolume "pv" is invalid: ${message}`);
  });
});
