import type { WireAnswer } from "../../../apiserver/testing/wire.ts";

/** The kinds of these tests: where they are, and a valid object of each, with all that rules are about. */
export interface SnapshotKind {
  readonly kind: string;
  readonly group: string;
  readonly versions: readonly string[];
  path(version: string): string;
  readonly members: Members;
  readonly status?: Members;
}

export type Members = Readonly<Record<string, unknown>>;

const group = "groupsnapshot.storage.k8s.io";
const all = ["v1", "v1beta2", "v1beta1"];

function snapshotKind(plural: string, kind: string, members: Members, status?: Members, namespaced = false): SnapshotKind {
  const own = kind.startsWith("VolumeGroup") ? { group, versions: all } : { group: "snapshot.storage.k8s.io", versions: ["v1"] };
  const path = (version: string) => `/apis/${own.group}/${version}/${namespaced ? "namespaces/default/" : ""}${plural}`;
  return { kind, ...own, path, members, ...(status && { status }) };
}

export const snapshots = snapshotKind(
  "volumesnapshots",
  "VolumeSnapshot",
  { spec: { source: { persistentVolumeClaimName: "c" }, volumeSnapshotClassName: "k" } },
  { boundVolumeSnapshotContentName: "b", readyToUse: true, restoreSize: "1Gi", creationTime: "2026-01-02T03:04:05Z" },
  true,
);

export const contents = snapshotKind(
  "volumesnapshotcontents",
  "VolumeSnapshotContent",
  {
    spec: {
      deletionPolicy: "Delete",
      driver: "d",
      source: { volumeHandle: "v" },
      sourceVolumeMode: "Block",
      volumeSnapshotClassName: "k",
      volumeSnapshotRef: { name: "s", namespace: "ns" },
    },
  },
  { snapshotHandle: "h", creationTime: 1_700_000_000_123_456_789n, restoreSize: 5, readyToUse: true },
);

export const classes = snapshotKind("volumesnapshotclasses", "VolumeSnapshotClass", {
  driver: "d",
  deletionPolicy: "Delete",
  parameters: { a: "b" },
});

export const groupSnapshots = snapshotKind(
  "volumegroupsnapshots",
  "VolumeGroupSnapshot",
  { spec: { source: { selector: { matchLabels: { a: "b" } } }, volumeGroupSnapshotClassName: "k" } },
  { boundVolumeGroupSnapshotContentName: "b", readyToUse: true, creationTime: "2026-01-02T03:04:05Z" },
  true,
);

export const groupContents = snapshotKind(
  "volumegroupsnapshotcontents",
  "VolumeGroupSnapshotContent",
  {
    spec: {
      deletionPolicy: "Delete",
      driver: "d",
      source: { volumeHandles: ["v", "w"] },
      volumeGroupSnapshotClassName: "k",
      volumeGroupSnapshotRef: { name: "s", namespace: "ns", uid: "u" },
    },
  },
  { volumeGroupSnapshotHandle: "g", readyToUse: true, creationTime: "2026-01-02T03:04:05Z" },
);

export const groupClasses = snapshotKind("volumegroupsnapshotclasses", "VolumeGroupSnapshotClass", {
  driver: "d",
  deletionPolicy: "Delete",
  parameters: { a: "b" },
});

/** An object of the kind as a client of that version writes it, changed by a merge patch. */
export function objectOf(of: SnapshotKind, version: string, name: string, change: Members = {}): Members {
  const object = { apiVersion: `${of.group}/${version}`, kind: of.kind, metadata: { name }, ...of.members };
  return merged(object, change);
}

/** The value with a merge patch applied. */
export function merged(value: Members, patch: Members): Members {
  const result: Record<string, unknown> = { ...value };
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete result[name];
    else result[name] = isMembers(change) && isMembers(result[name]) ? merged(result[name], change) : change;
  }
  return result;
}

const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);

/** What a server says about CEL rules after an error of another kind. */
export const unchecked =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/** `201`, or why an object is invalid: each error, those about one field in the server's order. Real servers do not order fields. */
export function outcome({ code, body }: WireAnswer): string | readonly string[] {
  if (code !== 422) return String(code);
  const { causes }: { causes: readonly { field: string; message: string }[] } = body.details;
  return causes
    .toSorted((a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : 0))
    .map(({ field, message }) => `${field}: ${message}`);
}
