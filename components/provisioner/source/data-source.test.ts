import { describe, expect, test } from "bun:test";
import type { V1PersistentVolume, V1VolumeSnapshot, V1VolumeSnapshotContent } from "@csi-sidecars/kube";
import type { Claim, Grant } from "../fields.ts";
import { cachedClaim, cachedClass } from "../testing/cached.ts";
import { driverName } from "../testing/manifests.ts";
import { clonedVolumeName, cloneSource } from "./clone-source.ts";
import { dataSourceOf, isGranted, mustEchoSource, referredSource, sourceKindOf } from "./data-source.ts";
import { contentNameOf, snapshotSource } from "./snapshot-source.ts";

const group = "snapshot.storage.k8s.io";

describe("what a claim wants to be filled with", () => {
  const ref = { apiGroup: group, kind: "VolumeSnapshot", name: "s" };
  test.each<[string, Claim, boolean, object]>([
    ["nothing", cachedClaim(), false, { value: undefined }],
    ["dataSource", cachedClaim({ spec: { dataSource: ref } }), false, { value: { ...ref, namespace: "default" } }],
    [
      "dataSource before dataSourceRef",
      cachedClaim({ spec: { dataSource: ref, dataSourceRef: { ...ref, name: "x" } } }),
      true,
      { value: { ...ref, namespace: "default" } },
    ],
    ["dataSourceRef", cachedClaim({ spec: { dataSourceRef: ref } }), false, { value: { ...ref, namespace: "default" } }],
    [
      "another namespace",
      cachedClaim({ spec: { dataSourceRef: { ...ref, namespace: "prod" } } }),
      true,
      { value: { ...ref, namespace: "prod" } },
    ],
    [
      "another namespace, gate off",
      cachedClaim({ spec: { dataSourceRef: { ...ref, namespace: "prod" } } }),
      false,
      { error: "dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled" },
    ],
    [
      "a claim, no group",
      cachedClaim({ spec: { dataSource: { kind: "PersistentVolumeClaim", name: "c" } } }),
      false,
      { value: { kind: "PersistentVolumeClaim", name: "c", apiGroup: "", namespace: "default" } },
    ],
    [
      "a claim of another namespace, as API servers write its group",
      cachedClaim({ spec: { dataSourceRef: { apiGroup: null as never, kind: "PersistentVolumeClaim", name: "c", namespace: "prod" } } }),
      true,
      { value: { kind: "PersistentVolumeClaim", name: "c", apiGroup: "", namespace: "prod" } },
    ],
  ])("%s", (_, claim, crossNamespace, expected) => {
    expect(dataSourceOf(claim, crossNamespace)).toEqual(expected as never);
  });

  test.each([
    [{ kind: "VolumeSnapshot", name: "s", apiGroup: group }, { value: "snapshot" }],
    [{ kind: "PersistentVolumeClaim", name: "s", apiGroup: "" }, { value: "claim" }],
    [{ kind: "Shelf", name: "s", apiGroup: "books" }, { value: "populator" }],
    [{ kind: "VolumeSnapshot", name: "", apiGroup: group }, { error: "the PVC source not found for PVC data" }],
    [
      { kind: "VolumeSnapshot", name: "s", apiGroup: "x" },
      { error: `the PVC source does not belong to the right APIGroup. Expected ${group}, Got x` },
    ],
  ])("%p is served by %p", (source, expected) => {
    expect(sourceKindOf({ ...source, namespace: "default" }, "data")).toEqual(expected as never);
  });

  test("which answers must say what the volume was filled with", () => {
    const crossing = cachedClaim({ spec: { dataSourceRef: { ...ref, namespace: "prod" } } });
    expect([
      mustEchoSource(cachedClaim({ spec: { dataSource: ref } }), false),
      mustEchoSource(crossing, true),
      mustEchoSource(crossing, false),
    ]).toEqual([true, true, false]);
    expect(mustEchoSource(cachedClaim({ spec: { dataSourceRef: ref } }), true)).toBe(false);
  });

  test("which sources are kept for a claim", () => {
    const refers = (spec: Partial<NonNullable<Claim["spec"]>>) => referredSource(cachedClaim({ spec }), "VolumeSnapshot");
    expect(refers({ dataSource: ref })).toBe("default/s");
    expect(refers({ dataSourceRef: { ...ref, namespace: "prod" } })).toBe("prod/s");
    expect(refers({ dataSource: { ...ref, apiGroup: "x" } })).toBeUndefined();
    expect(refers({ dataSource: { kind: "VolumeSnapshot", name: "s" } })).toBe("default/s");
  });
});

describe("grants", () => {
  const from = { group: "", kind: "PersistentVolumeClaim", namespace: "dev" };
  const to = { group, kind: "VolumeSnapshot" };
  const source = { kind: "VolumeSnapshot", name: "s", apiGroup: group, namespace: "prod" };
  test.each([
    ["any name", [from], [to], true],
    ["this name", [from], [{ ...to, name: "s" }], true],
    ["an empty name", [from], [{ ...to, name: "" }], true],
    ["another name", [from], [{ ...to, name: "x" }], false],
    ["another kind", [from], [{ ...to, kind: "PersistentVolumeClaim" }], false],
    ["another group", [from], [{ ...to, group: "" }], false],
    ["from another namespace", [{ ...from, namespace: "x" }], [to], false],
    ["from another kind", [{ ...from, kind: "Pod" }], [to], false],
    ["from another group", [{ ...from, group: "x" }], [to], false],
    ["from nobody", [], [to], false],
    ["to nothing", [from], [], false],
  ])("%s: %p", (_, froms, tos, granted) => {
    expect(isGranted([{ metadata: {}, spec: { from: froms, to: tos } } as never as Grant], source, "dev")).toBe(granted);
  });

  test("claims are of the core group", () => {
    const claims = { ...source, kind: "PersistentVolumeClaim", apiGroup: "" };
    const granting = (to: object) => [{ metadata: {}, spec: { from: [from], to: [to] } } as never as Grant];
    expect(isGranted(granting({ group: "", kind: "PersistentVolumeClaim" }), claims, "dev")).toBe(true);
    expect(isGranted(granting({ group: "core", kind: "PersistentVolumeClaim" }), claims, "dev")).toBe(false);
    expect(isGranted([], claims, "dev")).toBe(false);
  });

  test("both halves must be in one grant", () => {
    const halves = [{ spec: { from: [from], to: [] } }, { spec: { from: [], to: [to] } }] as never as Grant[];
    expect(isGranted(halves, source, "dev")).toBe(false);
  });
});

describe("restoring", () => {
  const snapshot: V1VolumeSnapshot = {
    metadata: { name: "s", namespace: "default", uid: "s-uid" },
    status: { boundVolumeSnapshotContentName: "c", readyToUse: true, restoreSize: "1Gi" },
  };
  const content: V1VolumeSnapshotContent = {
    metadata: { name: "c" },
    spec: { driver: driverName, volumeSnapshotRef: { name: "s", namespace: "default", uid: "s-uid" }, sourceVolumeMode: "Filesystem" },
    status: { snapshotHandle: "handle" },
  };
  const ask = {
    claim: cachedClaim({ spec: { volumeMode: "Filesystem" } }),
    class: cachedClass(),
    snapshot,
    content,
    preventModeConversion: true,
  };
  const found = { value: { type: { $case: "snapshot", snapshot: { snapshotId: "handle" } } } };
  const mode = { ...ask, claim: cachedClaim({ spec: { volumeMode: "Block" } }) };
  const allowing = (value: string) => ({
    ...content,
    metadata: { name: "c", annotations: { "snapshot.storage.kubernetes.io/allow-volume-mode-change": value } },
  });
  const refers = (parts: object) => ({
    ...ask,
    content: { ...content, spec: { ...content.spec, volumeSnapshotRef: { name: "s", namespace: "default", uid: "s-uid", ...parts } } },
  });
  const different = { error: "snapshotcontent c for snapshot s is bound to a different snapshot" };
  test.each<[string, typeof ask, object]>([
    ["fits", ask, found],
    ["a larger claim fits", { ...ask, claim: cachedClaim({ spec: { resources: { requests: { storage: "2Gi" } } } }) }, found],
    [
      "too small",
      { ...ask, snapshot: { ...snapshot, status: { ...snapshot.status, restoreSize: "2Gi" } } },
      { error: "requested volume size 1073741824 is less than the size 2147483648 for the source snapshot s" },
    ],
    [
      "not ready",
      { ...ask, snapshot: { ...snapshot, status: { ...snapshot.status, readyToUse: false } } },
      { error: "snapshot s is not Ready" },
    ],
    ["no handle", { ...ask, content: { ...content, status: undefined } }, { error: "snapshot handle s is not available" }],
    [
      "another driver",
      { ...ask, content: { ...content, spec: { ...content.spec, driver: "other" } } },
      { error: "snapshotcontent c for snapshot s is not handled by CSI driver of StorageClass fast" },
    ],
    ["another uid", refers({ uid: "x" }), different],
    ["another name", refers({ name: "x" }), different],
    ["another namespace", refers({ namespace: "x" }), different],
    ["another mode, allowed by flag", { ...mode, preventModeConversion: false }, found],
    ["another mode, allowed by annotation", { ...mode, content: allowing("True") }, found],
  ])("%s", (_, options, expected) => {
    expect(snapshotSource(options)).toEqual(expected as never);
  });

  const refusal = "requested volume default/data modifies the mode of the source volume but does not have permission to do so. ";
  const name = "snapshot.storage.kubernetes.io/allow-volume-mode-change";
  test.each([
    ["none", content, `${name} annotation is not present on snapshotcontent c`],
    ["false", allowing("false"), `${name} is set to false on snapshotcontent c`],
    ["0", allowing("0"), `${name} is set to false on snapshotcontent c`],
    [
      "no boolean",
      allowing("yes"),
      `failed to convert ${name} annotation value to boolean with error: strconv.ParseBool: parsing "yes": invalid syntax`,
    ],
  ])("another mode, annotation: %s", (_, given, why) => {
    expect(snapshotSource({ ...mode, content: given }).error).toBe(`${refusal}${why}`);
  });

  test.each(["1", "t", "T", "TRUE", "true", "True"])("another mode, allowed by %p", (value) => {
    expect(snapshotSource({ ...mode, content: allowing(value) })).toEqual(found as never);
  });

  test("one of two modes is not said: nothing is compared", () => {
    const { volumeMode: _, ...spec } = mode.claim.spec ?? {};
    expect(snapshotSource({ ...mode, claim: { ...mode.claim, spec } as Claim })).toEqual(found as never);
    const silent = { ...content, spec: { ...content.spec, sourceVolumeMode: undefined } };
    expect(snapshotSource({ ...mode, content: silent })).toEqual(found as never);
  });

  test("a claim without a size cannot be compared with the snapshot's", () => {
    const sizeless = { ...ask, claim: cachedClaim({ spec: { resources: {} } }) };
    expect(snapshotSource(sizeless).error).toBe("error getting capacity for PVC data when creating snapshot s");
    const unknown = { ...sizeless, snapshot: { ...snapshot, status: { ...snapshot.status, restoreSize: undefined } } };
    expect(snapshotSource(unknown)).toEqual(found as never);
  });

  const deleting = (finalizer: string) => ({
    ...snapshot,
    metadata: { ...snapshot.metadata, deletionTimestamp: "now", finalizers: [finalizer] },
  });
  test.each<[string, V1VolumeSnapshot, object]>([
    ["bound", snapshot, { value: "c" }],
    ["no status", { metadata: snapshot.metadata }, { error: "snapshot s not bound" }],
    ["no content", { metadata: snapshot.metadata, status: { readyToUse: true } }, { error: "snapshot s not bound" }],
    ["being deleted", deleting("other"), { error: "snapshot s is being deleted" }],
    ["being deleted, kept by us", deleting("provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection"), { value: "c" }],
  ])("the content of a snapshot: %s", (_, given, expected) => {
    expect(contentNameOf(given)).toEqual(expected as never);
  });
});

describe("cloning", () => {
  const source = cachedClaim({
    metadata: { name: "src", uid: "src-uid", namespace: "default" },
    spec: { volumeName: "pv" },
    status: { phase: "Bound" },
  });
  const changed = (spec: object) =>
    cachedClaim({ metadata: source.metadata, spec: { ...source.spec, ...spec }, status: { phase: "Bound" } });
  test.each<[string, Claim, Claim, string | RegExp]>([
    ["fits", cachedClaim(), source, "pv"],
    ["another class fits", cachedClaim({ spec: { storageClassName: "slow" } }), source, "pv"],
    [
      "source lost",
      cachedClaim(),
      cachedClaim({ metadata: source.metadata, status: { phase: "Lost" } }),
      "the PVC DataSource src must have a status of Bound.  Got Lost",
    ],
    ["source not bound", cachedClaim(), cachedClaim({ metadata: source.metadata }), /must have a status of Bound/],
    [
      "source being deleted",
      cachedClaim(),
      cachedClaim({ metadata: { ...source.metadata, deletionTimestamp: "now" }, status: { phase: "Bound" } }),
      "the PVC DataSource src is currently being deleted",
    ],
    ["source without class", cachedClaim(), changed({ storageClassName: undefined }), /storageclass cannot be empty/],
    ["clone without class", cachedClaim({ spec: { storageClassName: undefined } }), source, /storageclass cannot be empty/],
    [
      "too small",
      cachedClaim({ spec: { resources: { requests: { storage: "1Mi" } } } }),
      source,
      /requested 1048576 but source is 1073741824/,
    ],
    ["source without volume", cachedClaim(), changed({ volumeName: "" }), /volume name is empty/],
  ])("%s", (_, claim, from, expected) => {
    const { value, error } = clonedVolumeName(claim, from);
    expect(value ?? error).toMatch(expected);
  });

  test("a source that is being deleted is cloned by those it is kept for", () => {
    const deleted = cachedClaim({
      ...{ metadata: { ...source.metadata, deletionTimestamp: "now" }, spec: { volumeName: "pv" } },
      status: { phase: "Bound" },
    });
    expect(clonedVolumeName(cachedClaim(), deleted, true)).toEqual({ value: "pv" });
  });

  const claimRef = { uid: "src-uid", namespace: "default", name: "src" };
  const volume = (spec: object = {}, phase = "Bound") =>
    ({ spec: { csi: { driver: driverName, volumeHandle: "h" }, claimRef, ...spec }, status: { phase } }) as V1PersistentVolume;
  const invalid = "claim in dataSource not bound or invalid";
  test.each<[string, V1PersistentVolume | undefined, string]>([
    ["fits", volume(), "h"],
    ["no volume", undefined, invalid],
    ["no CSI volume", volume({ csi: undefined }), invalid],
    ["another driver", volume({ csi: { driver: "other", volumeHandle: "h" } }), invalid],
    ["bound to nobody", volume({ claimRef: undefined }), invalid],
    ["bound to another", volume({ claimRef: { ...claimRef, uid: "x" } }), invalid],
    ["bound to a claim of another namespace", volume({ claimRef: { ...claimRef, namespace: "x" } }), invalid],
    ["bound to a claim of another name", volume({ claimRef: { ...claimRef, name: "x" } }), invalid],
    ["released", volume({}, "Released"), invalid],
    ["failed", volume({}, "Failed"), invalid],
    ["available", volume({}, "Available"), invalid],
    ["pending", volume({}, "Pending"), invalid],
    [
      "another mode",
      volume({ volumeMode: "Block" }),
      "the source PVC and destination PVCs must have the same volume mode for cloning.  Source is Block, but new PVC requested Filesystem",
    ],
  ])("the source's volume: %s", (_, given, expected) => {
    const { value, error } = cloneSource(cachedClaim(), source, given, cachedClass());
    expect(value?.type?.$case === "volume" ? value.type.volume.volumeId : error).toBe(expected);
  });

  const different = (from: string, to: string) =>
    `the source PVC and destination PVCs must have the same volume mode for cloning.  Source is ${from}, but new PVC requested ${to}`;
  test.each<["Block" | "Filesystem" | undefined, "Block" | "Filesystem" | undefined, string]>([
    [undefined, undefined, "h"],
    [undefined, "Filesystem", "h"],
    ["Filesystem", undefined, "h"],
    ["Filesystem", "Filesystem", "h"],
    ["Block", "Block", "h"],
    ["Block", undefined, different("Block", "Filesystem")],
    ["Block", "Filesystem", different("Block", "Filesystem")],
    ["Filesystem", "Block", different("Filesystem", "Block")],
    [undefined, "Block", different("Filesystem", "Block")],
  ])("a %p volume for a %p claim", (volumeMode, wanted, expected) => {
    const { value, error } = cloneSource(cachedClaim({ spec: { volumeMode: wanted } }), source, volume({ volumeMode }), cachedClass());
    expect(value?.type?.$case === "volume" ? value.type.volume.volumeId : error).toBe(expected);
  });
});
