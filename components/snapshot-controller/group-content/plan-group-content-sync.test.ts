import { expect, test } from "bun:test";
import { groupSnapshotFinalizer } from "@csi-sidecars/kube";
import type { GroupContent, GroupSnapshot } from "../fields.ts";
import { cachedGroup, cachedGroupContent, cachedStaticGroup, cachedStaticGroupContent } from "../testing/group-objects.ts";
import { planGroupContentSync } from "./plan-group-content-sync.ts";

const finalizers = { metadata: { finalizers: [groupSnapshotFinalizer.content] } };
const named = (name: string) => ({ ...finalizers.metadata, name: `groupsnapcontent-${name}` });
const taken = { volumeGroupSnapshotHandle: "handle" };
const boundTo = { boundVolumeGroupSnapshotContentName: "groupsnapcontent-uid-group" };
const ready = cachedGroup({ status: { ...boundTo, readyToUse: true } });
const late = { isExpected: (uid: string) => uid === "gone", isSpared: (uid: string) => uid === "lost" };
const of = (uid: string) => ({ spec: { ...cachedGroupContent().spec, volumeGroupSnapshotRef: { name: "group", namespace: "ns", uid } } });
const ofGone = of("gone");
const free = cachedStaticGroupContent({ uid: "" });

test.each<[string, GroupContent, GroupSnapshot | undefined, string[]]>([
  ["bound, not protected", cachedStaticGroupContent(), undefined, ["finalizer"]],
  ["created for a group snapshot that is not known", cachedGroupContent(finalizers), undefined, ["unknown"]],
  ["taken for a group snapshot that is not known", cachedGroupContent({ ...finalizers, status: taken }), undefined, ["unknown"]],
  ["created for one that has gone", cachedGroupContent({ metadata: named("gone"), ...ofGone }), undefined, ["late"]],
  ["taken for one that went without it", cachedGroupContent({ metadata: named("gone"), ...ofGone, status: taken }), undefined, ["late"]],
  ["restored without its group snapshot", cachedGroupContent({ metadata: named("lost"), ...of("lost") }), undefined, []],
  ["made by its user, of one that has gone", cachedGroupContent({ metadata: named("mine"), ...ofGone }), undefined, []],
  ["bound, being deleted", cachedGroupContent({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }), undefined, []],
  ["free, nobody waits", free, undefined, []],
  ["free, its group snapshot waits", free, cachedStaticGroup(), ["group"]],
  ["ready as the group snapshot is", cachedGroupContent({ ...finalizers, status: { readyToUse: true } }), ready, []],
  ["ahead of the group snapshot", cachedGroupContent({ ...finalizers, status: { readyToUse: true } }), cachedGroup(), ["group"]],
  ["behind the group snapshot", cachedGroupContent({ ...finalizers, status: { readyToUse: false } }), ready, []],
  ["that of a group snapshot that was deleted", cachedGroupContent(finalizers), cachedGroup({ metadata: { uid: "another" } }), ["unknown"]],
  ["neither kind", cachedGroupContent({ spec: { source: {} } }), cachedGroup(), ["invalid"]],
  [
    "both kinds",
    cachedGroupContent({ spec: { source: { volumeHandles: ["h"], groupSnapshotHandles: { volumeGroupSnapshotHandle: "g" } } } }),
    cachedGroup(),
    ["invalid"],
  ],
])("a content that is %s", (_, content, group, asksFor) => {
  const plan = planGroupContentSync(content, group, late);
  const asked = [
    ...(plan.isInvalid ? ["invalid"] : []),
    ...(plan.needsFinalizer ? ["finalizer"] : []),
    ...(plan.concernsGroup ? ["group"] : []),
    ...(plan.lateness === "in time" ? [] : [plan.lateness]),
  ];
  expect(asked).toEqual(asksFor);
});
