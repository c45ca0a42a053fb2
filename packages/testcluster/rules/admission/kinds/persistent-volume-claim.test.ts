import { describe, expect, test } from "bun:test";
import { PersistentVolumeClaim } from "@csi-sidecars/kube";
import { admitCreate, admitUpdate } from "../admission.ts";
import { context, merged, refusal } from "../testing/attempts.ts";

const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const metadata = { name: "c", namespace: "ns" };
const create = (more: object, world = context()) => admitCreate(PersistentVolumeClaim, { metadata, spec: { ...spec, ...more } }, world);

describe("a new claim", () => {
  test("is pending, protected, canonical and a file system", () => {
    const claim = { metadata, spec: { ...spec, resources: { requests: { storage: "1024Mi" } } }, status: { phase: "Bound" } };
    expect(admitCreate(PersistentVolumeClaim, claim, context())).toEqual({
      metadata: { ...metadata, finalizers: ["kubernetes.io/pvc-protection"] },
      spec: { ...spec, volumeMode: "Filesystem" },
      status: { phase: "Pending" },
    });
  });

  const snapshot = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "x" };
  const claim = { kind: "PersistentVolumeClaim", name: "x" };
  const storedClaim = { apiGroup: null, ...claim };
  const populator = { apiGroup: "a.b", kind: "Foo", name: "x" };
  const sources: [behaviour: string, given: object, stored: object][] = [
    ["from a snapshot gets both fields", { dataSource: snapshot }, { dataSource: snapshot, dataSourceRef: snapshot }],
    ["from a claim by reference gets both fields", { dataSourceRef: claim }, { dataSource: storedClaim, dataSourceRef: storedClaim }],
    ["from a populator by reference gets both fields", { dataSourceRef: populator }, { dataSource: populator, dataSourceRef: populator }],
    ["from a populator by the old field starts empty", { dataSource: populator }, {}],
    ["from a core kind that is no claim starts empty", { dataSource: { kind: "Foo", name: "x" } }, {}],
    ["from another namespace starts empty", { dataSourceRef: { ...claim, namespace: "other" } }, {}],
  ];
  test.each(sources)("%s", (_, given, stored) => {
    expect(create(given).spec).toEqual({ ...spec, ...stored, volumeMode: "Filesystem" });
  });

  const byDefault = (name: string, creationTimestamp: string) => ({
    metadata: { name, creationTimestamp, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  });
  const classes = context({
    "storageclasses.storage.k8s.io": [
      byDefault("old", "2020-01-01T00:00:00Z"),
      byDefault("new", "2021-01-01T00:00:00Z"),
      byDefault("newer-by-name", "2021-01-01T00:00:00Z"),
      { metadata: { name: "plain", creationTimestamp: "2022-01-01T00:00:00Z" } },
    ],
  });
  const storageClasses: [behaviour: string, given: object, stored: unknown][] = [
    ["without a class gets the newest default one", {}, "new"],
    ["that wants no class keeps none", { storageClassName: "" }, ""],
    ["with a class keeps it", { storageClassName: "plain" }, "plain"],
  ];
  test.each(storageClasses)("%s", (_, given, stored) => {
    expect(create(given, classes).spec).toHaveProperty("storageClassName", stored);
  });

  const refused: [behaviour: string, spec: object, message: string][] = [
    [
      "without anything",
      {},
      "[spec.accessModes: Required value: at least 1 access mode is required, spec.resources[storage]: Required value]",
    ],
    [
      "with an unknown access mode",
      { ...spec, accessModes: ["Foo"] },
      'spec.accessModes: Unsupported value: "Foo": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
    [
      "for one pod and others",
      { ...spec, accessModes: ["ReadWriteOnce", "ReadWriteOncePod"] },
      "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
    ],
    [
      "of no size",
      { ...spec, resources: { requests: { storage: "0" } } },
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ],
    [
      "of an unknown mode",
      { ...spec, volumeMode: "X" },
      'spec.volumeMode: Unsupported value: "X": supported values: "Block", "Filesystem"',
    ],
    [
      "from two sources",
      { ...spec, dataSource: claim, dataSourceRef: { ...claim, name: "y" } },
      "spec: Invalid value: {}: must match dataSourceRef",
    ],
  ];
  test.each(refused)("%s is refused", (_, given, message) => {
    const attempt = () => admitCreate(PersistentVolumeClaim, { metadata, spec: given }, context());
    expect(refusal(attempt)).toBe(`PersistentVolumeClaim "c" is invalid: ${message}`);
  });
});

const pending = { metadata, spec: { ...spec, storageClassName: "grows", volumeMode: "Filesystem" }, status: { phase: "Pending" } };
const bound = {
  ...pending,
  spec: { ...pending.spec, volumeName: "pv", resources: { requests: { storage: "2Gi" } } },
  status: { phase: "Bound", capacity: { storage: "1Gi" } },
};
const world = context({
  "storageclasses.storage.k8s.io": [{ metadata: { name: "grows" }, allowVolumeExpansion: true }, { metadata: { name: "fixed" } }],
});
const request = (storage: string) => ({ spec: { resources: { requests: { storage } } } });
const change = (old: object, patch: object, subresource?: "status") => () =>
  admitUpdate(PersistentVolumeClaim, { ...old }, merged(old, patch), subresource ? { subresource } : {}, world);

describe("a change of a claim that is accepted", () => {
  const cases: [behaviour: string, old: object, patch: object, part: object][] = [
    ["binding names the volume", pending, { spec: { volumeName: "pv" } }, { spec: { volumeName: "pv" } }],
    [
      "a class is given to a claim that had none",
      { ...pending, spec: { ...spec, volumeMode: "Filesystem" } },
      { spec: { storageClassName: "grows" } },
      { spec: { storageClassName: "grows" } },
    ],
    ["a bound claim grows", bound, request("3072Mi"), request("3Gi")],
    ["a failed growth is taken back, above the capacity", bound, request("1.5Gi"), request("1536Mi")],
    [
      "a bound claim changes its attributes",
      bound,
      { spec: { volumeAttributesClassName: "gold" } },
      { spec: { volumeAttributesClassName: "gold" } },
    ],
    ["the status is not written here", pending, { status: { phase: "Bound" } }, { status: { phase: "Pending" } }],
  ];
  test.each(cases)("%s", (_, old, patch, part) => {
    expect(change(old, patch)()).toMatchObject({ ...part });
  });

  test("the status subresource writes the status and not the spec", () => {
    const patch = { ...request("7Gi"), status: { phase: "Bound", capacity: { storage: "1024Mi" } } };
    expect(change(pending, patch, "status")()).toMatchObject({
      spec: pending.spec,
      status: { phase: "Bound", capacity: { storage: "1Gi" } },
    });
  });
});

describe("a change of a claim that is refused", () => {
  const immutable =
    "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  const shrunk = "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity";
  const cases: [behaviour: string, old: object, patch: object, message: string][] = [
    ["an unbound claim grows", pending, request("2Gi"), immutable],
    ["an unbound claim changes its attributes", pending, { spec: { volumeAttributesClassName: "gold" } }, immutable],
    ["other access modes", bound, { spec: { accessModes: ["ReadWriteMany"] } }, immutable],
    ["another volume", bound, { spec: { volumeName: "other" } }, immutable],
    ["no volume any more", bound, { spec: { volumeName: null } }, immutable],
    ["another class", bound, { spec: { storageClassName: "fixed" } }, immutable],
    ["a limit", bound, { spec: { resources: { limits: { storage: "9Gi" } } } }, immutable],
    ["smaller than the volume", bound, request("512Mi"), shrunk],
    ["back to the size of the volume", bound, request("1Gi"), shrunk],
  ];
  test.each(cases)("%s", (_, old, patch, message) => {
    expect(refusal(change(old, patch))).toBe(`PersistentVolumeClaim "c" is invalid: ${message}`);
  });

  const noClass = { ...bound, spec: { ...bound.spec, storageClassName: "gone" } };
  const fixed = { ...bound, spec: { ...bound.spec, storageClassName: "fixed" } };
  test.each([
    ["a class that does not allow it", fixed],
    ["a class that is gone", noClass],
  ])("growth with %s", (_, old) => {
    expect(refusal(change(old, request("3Gi")))).toBe(
      'persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    );
  });

  const statuses: [behaviour: string, status: object, message: string][] = [
    [
      "a negative capacity",
      { capacity: { storage: "-1" } },
      "status.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
    ],
    [
      "an unknown state of resizing",
      { allocatedResourceStatuses: { storage: "Foo" } },
      'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
    ],
    [
      "allocated processors",
      { allocatedResources: { cpu: "1" } },
      'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
    ],
  ];
  test.each(statuses)("%s", (_, status, message) => {
    expect(refusal(change(bound, { status }, "status"))).toBe(`PersistentVolumeClaim "c" is invalid: ${message}`);
  });
});
