import { describe, expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import * as of from "./testing/snapshot-objects.ts";
import { type Members, objectOf, outcome, type SnapshotKind, unchecked } from "./testing/snapshot-objects.ts";

const file = fileCluster(() => startCluster({ definitions: snapshotDefinitions }));

/** The outcome of a create in each version of the kind. */
async function created(kind: SnapshotKind, name: string, change: Members): Promise<readonly (string | readonly string[])[]> {
  const outcomes: (string | readonly string[])[] = [];
  for (const version of kind.versions) {
    const answer = await file.admin.post(`${kind.path(version)}?dryRun=All`, objectOf(kind, version, name, change));
    outcomes.push(outcome(answer));
  }
  return outcomes;
}

type Source = readonly [kind: SnapshotKind, first: string, second: string, given: unknown, other: unknown, message: string];
const sources: readonly Source[] = [
  [
    of.snapshots,
    "persistentVolumeClaimName",
    "volumeSnapshotContentName",
    "c",
    "d",
    "exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set",
  ],
  [of.contents, "volumeHandle", "snapshotHandle", "v", "h", "exactly one of volumeHandle and snapshotHandle must be set"],
  [
    of.groupSnapshots,
    "selector",
    "volumeGroupSnapshotContentName",
    {},
    "d",
    "exactly one of selector and volumeGroupSnapshotContentName must be set",
  ],
  [
    of.groupContents,
    "volumeHandles",
    "groupSnapshotHandles",
    [],
    { volumeGroupSnapshotHandle: "g", volumeSnapshotHandles: [] },
    "exactly one of volumeHandles and groupSnapshotHandles must be set",
  ],
];

describe.each(sources.map((source) => [source[0].kind, source] as const))(
  "the source of a %s",
  (_, [kind, a, b, given, other, message]) => {
    const source = (members: Members) => ({ spec: { source: { [a]: null, [b]: null, ...members } } });
    test("is exactly one of two", async () => {
      const refused = kind.versions.map(() => [`spec.source: Invalid value: ${message}`]);
      const fine = kind.versions.map(() => "201");
      expect(await created(kind, "x", source({}))).toEqual(refused);
      expect(await created(kind, "x", source({ [a]: given, [b]: other }))).toEqual(refused);
      expect(await created(kind, "x", source({ [a]: given }))).toEqual(fine);
      expect(await created(kind, "x", source({ [b]: other }))).toEqual(fine);
    });
    test("is present when it is empty", async () => {
      const empty = typeof given === "string" ? "" : given;
      expect(await created(kind, "x", source({ [a]: empty }))).toEqual(kind.versions.map(() => "201"));
    });
  },
);

const refused: readonly [what: string, kind: SnapshotKind, change: Members, errors: readonly string[]][] = [
  ["no spec", of.snapshots, { spec: null }, [unchecked, "spec: Required value"]],
  ["no source", of.snapshots, { spec: { source: null } }, [unchecked, "spec.source: Required value"]],
  [
    "the empty class",
    of.snapshots,
    { spec: { volumeSnapshotClassName: "" } },
    ['spec.volumeSnapshotClassName: Invalid value: "": volumeSnapshotClassName must not be the empty string when set'],
  ],
  [
    "two broken rules: both are told",
    of.snapshots,
    { spec: { volumeSnapshotClassName: "", source: { volumeSnapshotContentName: "d" } } },
    [
      "spec.source: Invalid value: exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set",
      'spec.volumeSnapshotClassName: Invalid value: "": volumeSnapshotClassName must not be the empty string when set',
    ],
  ],
  [
    "a number for a name, and two sources: rules are not evaluated",
    of.snapshots,
    { spec: { volumeSnapshotClassName: 5, source: { volumeSnapshotContentName: "d" } } },
    [
      unchecked,
      'spec.volumeSnapshotClassName: Invalid value: "integer": spec.volumeSnapshotClassName in body must be of type string: "integer"',
    ],
  ],
  ["no policy", of.contents, { spec: { deletionPolicy: null } }, [unchecked, "spec.deletionPolicy: Required value"]],
  ["no driver", of.contents, { spec: { driver: null } }, [unchecked, "spec.driver: Required value"]],
  ["no source", of.contents, { spec: { source: null } }, [unchecked, "spec.source: Required value"]],
  ["no snapshot", of.contents, { spec: { volumeSnapshotRef: null } }, [unchecked, "spec.volumeSnapshotRef: Required value"]],
  [
    "another policy",
    of.contents,
    { spec: { deletionPolicy: "Recycle" } },
    [unchecked, 'spec.deletionPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
  ],
  [
    "a snapshot without namespace",
    of.contents,
    { spec: { volumeSnapshotRef: { namespace: null } } },
    ["spec.volumeSnapshotRef: Invalid value: both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set"],
  ],
  [
    "a snapshot without name",
    of.contents,
    { spec: { volumeSnapshotRef: { name: null } } },
    ["spec.volumeSnapshotRef: Invalid value: both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set"],
  ],
  ["no driver", of.classes, { driver: null }, ["driver: Required value"]],
  ["no policy", of.classes, { deletionPolicy: null }, ["deletionPolicy: Required value"]],
  [
    "another policy",
    of.classes,
    { deletionPolicy: "delete" },
    ['deletionPolicy: Unsupported value: "delete": supported values: "Delete", "Retain"'],
  ],
  [
    "a number for a parameter",
    of.classes,
    { parameters: { a: 1 } },
    ['parameters.a: Invalid value: "integer": parameters.a in body must be of type string: "integer"'],
  ],
  ["no source", of.groupSnapshots, { spec: { source: null } }, [unchecked, "spec.source: Required value"]],
  [
    "the empty class",
    of.groupSnapshots,
    { spec: { volumeGroupSnapshotClassName: "" } },
    ['spec.volumeGroupSnapshotClassName: Invalid value: "": volumeGroupSnapshotClassName must not be the empty string when set'],
  ],
  [
    "a requirement without operator",
    of.groupSnapshots,
    { spec: { source: { selector: { matchExpressions: [{ key: "a" }] } } } },
    [unchecked, "spec.source.selector.matchExpressions[0].operator: Required value"],
  ],
  [
    "a group without namespace",
    of.groupContents,
    { spec: { volumeGroupSnapshotRef: { namespace: null } } },
    ["spec.volumeGroupSnapshotRef: Invalid value: both volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace must be set"],
  ],
  [
    "half of the handles of a group",
    of.groupContents,
    { spec: { source: { volumeHandles: null, groupSnapshotHandles: { volumeGroupSnapshotHandle: "g" } } } },
    [unchecked, "spec.source.groupSnapshotHandles.volumeSnapshotHandles: Required value"],
  ],
  [
    "another policy",
    of.groupContents,
    { spec: { deletionPolicy: "" } },
    [unchecked, 'spec.deletionPolicy: Unsupported value: "": supported values: "Delete", "Retain"'],
  ],
];

test.each(refused.map(([what, kind, ...rest]) => [kind.kind, what, kind, ...rest] as const))(
  "a %s with %s is refused",
  async (_kind, _what, kind, change, errors) => {
    expect(await created(kind, "x", change)).toEqual(kind.versions.map(() => errors));
  },
);

const accepted: readonly [what: string, kind: SnapshotKind, change: Members][] = [
  ["no class", of.snapshots, { spec: { volumeSnapshotClassName: null } }],
  ["a mode that nobody knows", of.contents, { spec: { sourceVolumeMode: "Tape" } }],
  ["the empty class", of.contents, { spec: { volumeSnapshotClassName: "" } }],
  ["the empty driver", of.contents, { spec: { driver: "" } }],
  ["an empty reference", of.contents, { spec: { volumeSnapshotRef: { name: "", namespace: "" } } }],
  ["no parameters", of.classes, { parameters: null }],
  ["no class", of.groupSnapshots, { spec: { volumeGroupSnapshotClassName: null } }],
  [
    "an operator that nobody knows",
    of.groupSnapshots,
    { spec: { source: { selector: { matchExpressions: [{ key: "a", operator: "Like" }] } } } },
  ],
  ["the empty class", of.groupContents, { spec: { volumeGroupSnapshotClassName: "" } }],
  ["an empty reference", of.groupContents, { spec: { volumeGroupSnapshotRef: { name: "", namespace: "" } } }],
  ["no parameters", of.groupClasses, { parameters: null }],
];

test.each(accepted.map(([what, kind, change]) => [kind.kind, what, kind, change] as const))(
  "a %s with %s is accepted",
  async (_kind, _what, kind, change) => {
    expect(await created(kind, "x", change)).toEqual(kind.versions.map(() => "201"));
  },
);

test("fields that are not in the schema, and the status, are not stored", async () => {
  for (const kind of [of.snapshots, of.contents, of.classes, of.groupSnapshots, of.groupContents, of.groupClasses]) {
    const name = "pruned";
    const unknown = { extra: 1, status: kind.status ?? { readyToUse: true }, ...("spec" in kind.members && { spec: { extra: 1 } }) };
    const answer = await file.admin.post(kind.path("v1"), objectOf(kind, "v1", name, unknown));
    const { apiVersion: _version, kind: _kind, metadata: _metadata, ...stored } = answer.body;
    expect([outcome(answer), stored]).toEqual(["201", kind.members]);
  }
});
