import { describe, expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { admitCreate, admitUpdate } from "../admission/admission.ts";
import { context, merged, refusal } from "../admission/testing/attempts.ts";
import { at } from "../json.ts";
import { type CustomKind, servedKinds } from "./custom-kind.ts";
import { pruned } from "./structural-schema.ts";

const kinds = snapshotDefinitions.flatMap(servedKinds);
const kind = (name: string, version = "v1"): CustomKind => kinds.find((found) => found.kind === name && found.version === version)!;

test("snapshots are served as v1, group snapshots also as their betas", () => {
  expect(kinds.map(({ plural, version, storage, namespaced, status }) => [plural, version, storage, namespaced, status])).toEqual([
    ["volumesnapshots", "v1", true, true, true],
    ["volumesnapshotcontents", "v1", true, false, true],
    ["volumesnapshotclasses", "v1", true, false, false],
    ["volumegroupsnapshots", "v1", false, true, true],
    ["volumegroupsnapshots", "v1beta1", false, true, true],
    ["volumegroupsnapshots", "v1beta2", true, true, true],
    ["volumegroupsnapshotcontents", "v1", false, false, true],
    ["volumegroupsnapshotcontents", "v1beta1", false, false, true],
    ["volumegroupsnapshotcontents", "v1beta2", true, false, true],
    ["volumegroupsnapshotclasses", "v1", false, false, false],
    ["volumegroupsnapshotclasses", "v1beta1", false, false, false],
    ["volumegroupsnapshotclasses", "v1beta2", true, false, false],
  ]);
});

test.each(snapshotDefinitions.map((definition) => [String(at(definition, "metadata", "name")), definition] as const))(
  "%s stores one version",
  (_, definition) => {
    const versions = at(definition, "spec", "versions") as { storage: boolean }[];
    expect(versions.filter(({ storage }) => storage)).toHaveLength(1);
  },
);

const metadata = { name: "a" };
const snapshot = { metadata, spec: { source: { persistentVolumeClaimName: "c" }, volumeSnapshotClassName: "k" } };
const content = {
  metadata,
  spec: {
    volumeSnapshotRef: { name: "s", namespace: "ns" },
    deletionPolicy: "Delete",
    driver: "d",
    source: { volumeHandle: "h" },
    sourceVolumeMode: "Block",
  },
};
const group = {
  metadata,
  spec: { source: { selector: { matchLabels: { a: "b" } } } },
  status: { boundVolumeGroupSnapshotContentName: "c" },
};
const groupContent = {
  metadata,
  spec: {
    volumeGroupSnapshotRef: { name: "s", namespace: "ns", uid: "u" },
    deletionPolicy: "Delete",
    driver: "d",
    source: { volumeHandles: ["h"] },
    volumeGroupSnapshotClassName: "k",
  },
  status: { volumeGroupSnapshotHandle: "g" },
};
const groupClass = { metadata, driver: "d", deletionPolicy: "Delete", parameters: { a: "b" } };

describe("a snapshot object that is refused", () => {
  const more =
    "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
  const cases: [behaviour: string, kind: string, object: object, message: string][] = [
    [
      "a snapshot of nothing",
      "VolumeSnapshot",
      { metadata, spec: { source: {} } },
      "spec.source: Invalid value: exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set",
    ],
    [
      "a snapshot of an empty class",
      "VolumeSnapshot",
      { metadata, spec: { ...snapshot.spec, volumeSnapshotClassName: "" } },
      'spec.volumeSnapshotClassName: Invalid value: "": volumeSnapshotClassName must not be the empty string when set',
    ],
    [
      "a content with two sources",
      "VolumeSnapshotContent",
      { metadata, spec: { ...content.spec, source: { volumeHandle: "h", snapshotHandle: "s" } } },
      "spec.source: Invalid value: exactly one of volumeHandle and snapshotHandle must be set",
    ],
    [
      "a content of a snapshot without namespace",
      "VolumeSnapshotContent",
      { metadata, spec: { ...content.spec, volumeSnapshotRef: { name: "s" } } },
      "spec.volumeSnapshotRef: Invalid value: both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set",
    ],
    [
      "a class with an unknown policy",
      "VolumeSnapshotClass",
      { metadata, driver: "d", deletionPolicy: "Keep" },
      'deletionPolicy: Unsupported value: "Keep": supported values: "Delete", "Retain"',
    ],
    ["a group without source", "VolumeGroupSnapshot", { metadata, spec: {} }, `[spec.source: Required value, ${more}]`],
    [
      "a group content of a group without namespace",
      "VolumeGroupSnapshotContent",
      { ...groupContent, spec: { ...groupContent.spec, volumeGroupSnapshotRef: { name: "s" } } },
      "spec.volumeGroupSnapshotRef: Invalid value: both volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace must be set",
    ],
  ];
  test.each(cases)("%s", (_, name, object, message) => {
    const { group: apiGroup } = kind(name);
    expect(refusal(() => admitCreate(kind(name), { ...object }, context()))).toBe(`${name}.${apiGroup} "a" is invalid: ${message}`);
  });
});

describe("a change of a snapshot object", () => {
  const change = (found: CustomKind, old: object, patch: object, subresource?: "status") =>
    refusal(() => admitUpdate(found, { ...old }, merged(old, patch), subresource ? { subresource } : {}, context()));
  const refused: [behaviour: string, kind: string, old: object, patch: object, subresource: "status" | undefined, message: string][] = [
    [
      "of another claim",
      "VolumeSnapshot",
      snapshot,
      { spec: { source: { persistentVolumeClaimName: "d" } } },
      undefined,
      'spec.source.persistentVolumeClaimName: Invalid value: "d": persistentVolumeClaimName is immutable',
    ],
    [
      "of another handle",
      "VolumeSnapshotContent",
      content,
      { spec: { source: { volumeHandle: "i" } } },
      undefined,
      'spec.source.volumeHandle: Invalid value: "i": volumeHandle is immutable',
    ],
    [
      "of another mode",
      "VolumeSnapshotContent",
      content,
      { spec: { sourceVolumeMode: "Filesystem" } },
      undefined,
      'spec.sourceVolumeMode: Invalid value: "Filesystem": sourceVolumeMode is immutable',
    ],
    [
      "to no mode",
      "VolumeSnapshotContent",
      content,
      { spec: { sourceVolumeMode: null } },
      undefined,
      "spec: Invalid value: sourceVolumeMode is required once set",
    ],
    [
      "of the selector",
      "VolumeGroupSnapshot",
      group,
      { spec: { source: { selector: { matchLabels: { a: "c" } } } } },
      undefined,
      "spec.source.selector: Invalid value: selector is immutable",
    ],
    [
      "of the bound content",
      "VolumeGroupSnapshot",
      group,
      { status: { boundVolumeGroupSnapshotContentName: "d" } },
      "status",
      'status.boundVolumeGroupSnapshotContentName: Invalid value: "d": boundVolumeGroupSnapshotContentName is immutable once set',
    ],
    [
      "of the group's driver",
      "VolumeGroupSnapshotContent",
      groupContent,
      { spec: { driver: "e" } },
      undefined,
      'spec.driver: Invalid value: "e": driver is immutable once set',
    ],
    [
      "of the group's class",
      "VolumeGroupSnapshotContent",
      groupContent,
      { spec: { volumeGroupSnapshotClassName: "l" } },
      undefined,
      'spec.volumeGroupSnapshotClassName: Invalid value: "l": volumeGroupSnapshotClassName is immutable once set',
    ],
    [
      "of the group",
      "VolumeGroupSnapshotContent",
      groupContent,
      { spec: { volumeGroupSnapshotRef: { name: "t" } } },
      undefined,
      "spec.volumeGroupSnapshotRef: Invalid value: volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace are immutable",
    ],
    [
      "of the group's uid",
      "VolumeGroupSnapshotContent",
      groupContent,
      { spec: { volumeGroupSnapshotRef: { uid: "v" } } },
      undefined,
      "spec.volumeGroupSnapshotRef: Invalid value: volumeGroupSnapshotRef.uid is immutable once set",
    ],
    [
      "of the group's handle",
      "VolumeGroupSnapshotContent",
      groupContent,
      { status: { volumeGroupSnapshotHandle: "x" } },
      "status",
      'status.volumeGroupSnapshotHandle: Invalid value: "x": volumeGroupSnapshotHandle is immutable once set',
    ],
    [
      "of a group class",
      "VolumeGroupSnapshotClass",
      groupClass,
      { parameters: { a: "c" } },
      undefined,
      "parameters: Invalid value: parameters are immutable once set",
    ],
  ];
  test.each(refused)("%s is refused", (_, name, old, patch, subresource, message) => {
    const { group: apiGroup } = kind(name);
    expect(change(kind(name), old, patch, subresource)).toBe(`${name}.${apiGroup} "a" is invalid: ${message}`);
  });

  const accepted: [behaviour: string, kind: string, version: string, old: object, patch: object, subresource: "status" | undefined][] = [
    ["of the class", "VolumeSnapshot", "v1", snapshot, { spec: { volumeSnapshotClassName: "l" } }, undefined],
    [
      "of policy, driver and class",
      "VolumeSnapshotContent",
      "v1",
      content,
      { spec: { deletionPolicy: "Retain", driver: "e", volumeSnapshotClassName: "l" } },
      undefined,
    ],
    ["that binds", "VolumeSnapshotContent", "v1", content, { spec: { volumeSnapshotRef: { uid: "u" } } }, undefined],
    [
      "that removes the group's handle",
      "VolumeGroupSnapshotContent",
      "v1",
      groupContent,
      { status: { volumeGroupSnapshotHandle: null } },
      "status",
    ],
    ["of a group's driver in v1beta1", "VolumeGroupSnapshotContent", "v1beta1", groupContent, { spec: { driver: "e" } }, undefined],
    [
      "of the times of a snapshot",
      "VolumeSnapshotContent",
      "v1",
      content,
      { status: { creationTime: 1_700_000_000_000_000_000n, restoreSize: 5 } },
      "status",
    ],
  ];
  test.each(accepted)("%s is accepted", (_, name, version, old, patch, subresource) => {
    expect(change(kind(name, version), old, patch, subresource)).toBe("accepted");
  });
});

test("what was written through one version is read through another without the members that it does not know", () => {
  const written = { ...groupContent, status: { readyToUse: true, volumeSnapshotInfoList: [{ snapshotHandle: "s", volumeHandle: "h" }] } };
  expect(pruned(written, kind("VolumeGroupSnapshotContent", "v1beta1").schema)).toMatchObject({ status: { readyToUse: true } });
  expect(pruned(written, kind("VolumeGroupSnapshotContent", "v1beta1").schema)).not.toHaveProperty("status.volumeSnapshotInfoList");
  expect(pruned(written, kind("VolumeGroupSnapshotContent", "v1beta2").schema)).toEqual(written);
});
