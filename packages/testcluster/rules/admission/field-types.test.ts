import { describe, expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { CSINode, Lease, PersistentVolume, type Resource, resource, StorageClass, VolumeAttachment } from "@csi-sidecars/kube";
import { servedKinds } from "../crd/custom-kind.ts";
import { checkTypes } from "./field-types.ts";
import { refusal } from "./testing/attempts.ts";

const ConfigMap = resource("v1", "configmaps", "ConfigMap", { namespaced: true });
const [VolumeSnapshot] = snapshotDefinitions.flatMap(servedKinds);

describe("a field of another type is not decoded", () => {
  const cases: [behaviour: string, kind: Resource, object: object, why: string][] = [
    ["a number for a text in a map", ConfigMap, { data: { a: 1 } }, "number into Go struct field ConfigMap.data of type string"],
    ["a text for a map", ConfigMap, { data: "x" }, "string into Go struct field ConfigMap.data of type map[string]string"],
    [
      "a number for a label",
      ConfigMap,
      { metadata: { labels: { a: 1 } } },
      "number into Go struct field ObjectMeta.metadata.labels of type string",
    ],
    [
      "a text for finalizers",
      ConfigMap,
      { metadata: { finalizers: "x" } },
      "string into Go struct field ObjectMeta.metadata.finalizers of type []string",
    ],
    [
      "a number for a finalizer",
      ConfigMap,
      { metadata: { finalizers: [1] } },
      "number into Go struct field ObjectMeta.metadata.finalizers of type string",
    ],
    [
      "a text for access modes",
      PersistentVolume,
      { spec: { accessModes: "x" } },
      "string into Go struct field PersistentVolumeSpec.spec.accessModes of type []v1.PersistentVolumeAccessMode",
    ],
    [
      "a number for a capacity",
      PersistentVolume,
      { spec: { capacity: 5 } },
      "number into Go struct field PersistentVolumeSpec.spec.capacity of type v1.ResourceList",
    ],
    [
      "a text for a spec",
      PersistentVolume,
      { spec: "x" },
      "string into Go struct field PersistentVolume.spec of type v1.PersistentVolumeSpec",
    ],
    [
      "a number in an embedded source",
      PersistentVolume,
      { spec: { csi: { driver: 5 } } },
      "number into Go struct field CSIPersistentVolumeSource.spec.PersistentVolumeSource.csi.driver of type string",
    ],
    [
      "a text for attached",
      VolumeAttachment,
      { status: { attached: "yes" } },
      "string into Go struct field VolumeAttachmentStatus.status.attached of type bool",
    ],
    [
      "a text for seconds",
      Lease,
      { spec: { leaseDurationSeconds: "15" } },
      "string into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32",
    ],
    [
      "a fraction",
      Lease,
      { spec: { leaseTransitions: 1.5 } },
      "number 1.5 into Go struct field LeaseSpec.spec.leaseTransitions of type int32",
    ],
  ];
  test.each(cases)("%s", (_, kind, object, why) => {
    expect(refusal(() => checkTypes(kind, { ...object }))).toBe(
      `${kind.kind} in version "v1" cannot be handled as a ${kind.kind}: json: cannot unmarshal ${why}`,
    );
  });
  test("a label of a custom object", () => {
    expect(refusal(() => checkTypes(VolumeSnapshot!, { metadata: { labels: { a: 1 } } }))).toBe(
      'VolumeSnapshot in version "v1" cannot be handled as a VolumeSnapshot: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
  });
});

test.each<[string, Resource, object]>([
  ["nulls", ConfigMap, { data: { a: null }, metadata: { labels: null } }],
  ["fields that are not described", StorageClass, { allowedTopologies: "x" }],
  ["the right types", CSINode, { spec: { drivers: [{ name: "a", nodeID: "b", topologyKeys: ["x"], allocatable: { count: 3 } }] } }],
])("%s are decoded", (_, kind, object) => {
  expect(refusal(() => checkTypes(kind, { ...object }))).toBe("accepted");
});
