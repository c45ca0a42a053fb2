import { describe, expect, test } from "bun:test";
import { groupSnapshotAnnotation } from "@csi-sidecars/kube";
import type { Claim, GroupSnapshot, GroupSnapshotClass, Volume } from "../fields.ts";
import { cachedClaim, cachedGroup, cachedGroupClass, cachedVolume } from "../testing/group-objects.ts";
import { type GroupLookups, planGroupContent } from "./plan-group-content.ts";

interface World {
  readonly claims?: readonly Claim[];
  readonly volumes?: readonly Volume[];
  readonly classes?: readonly GroupSnapshotClass[];
  readonly node?: ReturnType<GroupLookups["nodeFor"]>;
}

const twoClaims = [cachedClaim("b"), cachedClaim("a"), cachedClaim("other", { app: "web" })];
const volumes = ["a", "b", "other"].map((claim) => cachedVolume(claim));

function planIn(world: World, group: GroupSnapshot = cachedGroup()) {
  const { claims = twoClaims, volumes: known = volumes, classes = [cachedGroupClass()], node = "any" } = world;
  return planGroupContent(group, {
    claims: { list: (namespace) => claims.filter(({ metadata }) => metadata.namespace === namespace) },
    volumes: { get: (name) => known.find(({ metadata }) => metadata.name === name) },
    classes: { get: (name) => classes.find(({ metadata }) => metadata.name === name), list: () => classes },
    nodeFor: () => node,
  });
}

function contentIn(world: World, group?: GroupSnapshot) {
  const plan = planIn(world, group);
  if (plan.step !== "create") throw new Error(plan.problem.message);
  return plan;
}

function problemIn(world: World, group?: GroupSnapshot) {
  const plan = planIn(world, group);
  if (plan.step !== "problem") throw new Error("there is no problem");
  const { reason, message, notReady = false, warning } = plan.problem;
  return [`${reason}: ${message}`, ...(warning ? [`${warning.reason}: ${warning.message}`] : []), ...(notReady ? ["not ready"] : [])];
}

const selecting = (selector: NonNullable<NonNullable<GroupSnapshot["spec"]>["source"]>["selector"]) =>
  cachedGroup({ spec: { source: { selector }, volumeGroupSnapshotClassName: "gold" } });
const withoutClass = cachedGroup({ spec: { source: { selector: { matchLabels: { app: "db" } } } } });
const isDefault = { [groupSnapshotAnnotation.defaultClass]: "true" };
const creationFailed = (cause: string) => `GroupSnapshotContentCreationFailed: failed to create group snapshot content with error ${cause}`;
const inputFailed = (cause: string) => creationFailed(`failed to get input parameters to create group snapshot group: "${cause}"`);

test("the content names the volumes in the order of their claims, and has its finalizer from the start", () => {
  expect(contentIn({}).content).toEqual({
    metadata: {
      name: "groupsnapcontent-uid-group",
      finalizers: ["groupsnapshot.storage.kubernetes.io/volumegroupsnapshotcontent-bound-protection"],
    },
    spec: {
      deletionPolicy: "Delete",
      driver: "d.example.com",
      source: { volumeHandles: ["handle-a", "handle-b"] },
      volumeGroupSnapshotClassName: "gold",
      volumeGroupSnapshotRef: {
        ...{ apiVersion: "groupsnapshot.storage.k8s.io/v1", kind: "VolumeGroupSnapshot" },
        ...{ name: "group", namespace: "ns", uid: "uid-group", resourceVersion: "7" },
      },
    },
  });
});

test("secrets of the class are resolved, templates may name the group snapshot", () => {
  const parameters = {
    "csi.storage.k8s.io/group-snapshotter-secret-name": `\${volumegroupsnapshot.name}-secret`,
    "csi.storage.k8s.io/group-snapshotter-secret-namespace": `\${volumegroupsnapshot.namespace}`,
  };
  expect(contentIn({ classes: [cachedGroupClass({ parameters })] }).content.metadata?.annotations).toEqual({
    "groupsnapshot.storage.kubernetes.io/deletion-secret-name": "group-secret",
    "groupsnapshot.storage.kubernetes.io/deletion-secret-namespace": "ns",
  });
});

test("matchExpressions select claims too", () => {
  const only = (operator: string, ...values: string[]) =>
    contentIn({}, selecting({ matchExpressions: [{ key: "app", operator, ...(values.length > 0 && { values }) }] })).content.spec?.source;
  expect(only("In", "web")).toEqual({ volumeHandles: ["handle-other"] });
  expect(only("NotIn", "web")).toEqual({ volumeHandles: ["handle-a", "handle-b"] });
  expect(only("Exists")).toEqual({ volumeHandles: ["handle-a", "handle-b", "handle-other"] });
});

describe("nodes", () => {
  test("a content is labelled with the node that can access all volumes", () => {
    const { content, lacksNode } = contentIn({ node: { name: "n1" } });
    expect([content.metadata?.labels, lacksNode]).toEqual([{ "snapshot.storage.kubernetes.io/managed-by": "n1" }, undefined]);
  });

  test("that there is none is known", () => {
    const { content, lacksNode } = contentIn({ node: "none" });
    expect([content.metadata?.labels, lacksNode]).toEqual([undefined, ["pv-a", "pv-b"]]);
  });
});

describe("the default class", () => {
  const classes = [
    cachedGroupClass({ metadata: { name: "other-driver", annotations: isDefault }, driver: "e.example.com" }),
    cachedGroupClass({ metadata: { name: "no-default", annotations: { [groupSnapshotAnnotation.defaultClass]: "yes" } } }),
    cachedGroupClass({ metadata: { name: "the-default", annotations: isDefault } }),
  ];

  test("is the one of the volumes' driver", () => {
    const { content, defaultClass } = contentIn({ classes }, withoutClass);
    expect([content.spec?.volumeGroupSnapshotClassName, defaultClass]).toEqual(["the-default", "the-default"]);
  });

  test.each<[string, World, string]>([
    ["none", { classes: classes.slice(0, 2) }, "cannot find default group snapshot class"],
    [
      "several",
      { classes: [...classes, cachedGroupClass({ metadata: { name: "second", annotations: isDefault } })] },
      "2 default snapshot classes were found",
    ],
    ["no claims", { classes, claims: [] }, "label selector app=db for group snapshot not applied to any PVC"],
    [
      "not CSI",
      { classes, volumes: [cachedVolume("a", {}), ...volumes.slice(1)].map((v) => (v.metadata.name === "pv-a" ? withoutCsi(v) : v)) },
      "snapshotting non-CSI volumes is not supported, group snapshot:ns/group",
    ],
  ])("%s", (_, world, cause) => {
    expect(problemIn(world, withoutClass)).toEqual([
      `SetDefaultGroupSnapshotClassFailed: Failed to set default group snapshot class with error ${cause}`,
    ]);
  });
});

function withoutCsi({ metadata, spec }: Volume): Volume {
  return { metadata, spec: { claimRef: spec?.claimRef } } as Volume;
}

const ofOther = cachedVolume("b", { driver: "e.example.com", volumeHandle: "x" });
const mismatch = "Volume CSI driver (e.example.com) mismatch with VolumeGroupSnapshotClass (d.example.com) ns/group: pv-b";
const halfSecret = { "csi.storage.k8s.io/group-snapshotter-secret-name": "s" };

test.each<[string, World, GroupSnapshot, string[]]>([
  [
    "class unknown",
    { classes: [] },
    cachedGroup(),
    [
      'GetGroupSnapshotClassFailed: failed to get group snapshot class with error volumegroupsnapshotclass.groupsnapshot.storage.k8s.io "gold" not found',
    ],
  ],
  [
    "no claim selected",
    { claims: [] },
    cachedGroup(),
    [inputFailed("label selector app=db for group snapshot not applied to any PVC"), "not ready"],
  ],
  [
    "no claim selected by expressions",
    {},
    selecting({ matchLabels: { app: "db" }, matchExpressions: [{ key: "app", operator: "DoesNotExist" }] }),
    [inputFailed("label selector app=db,!app for group snapshot not applied to any PVC"), "not ready"],
  ],
  [
    "not a selector",
    {},
    selecting({ matchExpressions: [{ key: "app", operator: "Like" }] }),
    [
      creationFailed(
        String.raw`failed to get input parameters to create group snapshot group: "failed to list PVCs with label selector <error>: \"\\\"Like\\\" is not a valid label selector operator\""`,
      ),
      "not ready",
    ],
  ],
  [
    "a claim not bound",
    { claims: [cachedClaim("a"), cachedClaim("b", undefined, "Pending")] },
    cachedGroup(),
    [inputFailed("the PVC b is not yet bound to a PV, will not attempt to take a group snapshot"), "not ready"],
  ],
  [
    "a volume missing",
    { volumes: [] },
    cachedGroup(),
    [inputFailed(String.raw`failed to retrieve PV pv-a from the API server: \"persistentvolumes \\\"pv-a\\\" not found\"`), "not ready"],
  ],
  [
    "a volume of another claim",
    { volumes: [{ ...cachedVolume("z"), metadata: { name: "pv-a", uid: "u", resourceVersion: "1" } }] },
    cachedGroup(),
    [inputFailed("claim in dataSource not bound or invalid"), "not ready"],
  ],
  [
    "half a secret",
    { classes: [cachedGroupClass({ parameters: halfSecret })] },
    cachedGroup(),
    [
      inputFailed(
        "failed to get name and namespace template from params: either name and namespace for GroupSnapshotter secrets specified, Both must be specified",
      ),
      "not ready",
    ],
  ],
  [
    "a volume without CSI",
    { volumes: [cachedVolume("a"), withoutCsi(cachedVolume("b"))] },
    cachedGroup(),
    [
      creationFailed("cannot snapshot a non-CSI volume for group snapshot ns/group: pv-b"),
      "CreateGroupSnapshotContentFailed: Cannot snapshot a non-CSI volume: pv-b",
      "not ready",
    ],
  ],
  [
    "a volume of another driver",
    { volumes: [cachedVolume("a"), ofOther] },
    cachedGroup(),
    [
      creationFailed(`snapshot controller failed to update ns/group on API server: ${mismatch}`),
      `CreateGroupSnapshotContentFailed: ${mismatch}`,
      "not ready",
    ],
  ],
])("%s", (_, world, group, told) => {
  expect(problemIn(world, group)).toEqual(told);
});
