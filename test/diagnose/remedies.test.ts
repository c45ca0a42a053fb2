import { describe, expect, test } from "bun:test";
import type { ConditionReason, EventReason, VolumeCondition, VolumeOperation } from "@csi-sidecars/host";
import { responsibleComponents } from "../../cmd/csi-sidecars/commands.ts";
import { messages as attacher } from "../../components/attacher/messages.ts";
import { eventReasons as healthEvents } from "../../components/health-monitor/event-reasons.ts";
import { messages as health } from "../../components/health-monitor/messages.ts";
import { eventReasons } from "../../components/provisioner/event-reasons.ts";
import { messages as provisioner } from "../../components/provisioner/messages.ts";
import { eventReasons as resizerEvents } from "../../components/resizer/event-reasons.ts";
import { messages as resizer } from "../../components/resizer/messages.ts";
import { eventReasons as controllerEvents } from "../../components/snapshot-controller/event-reasons.ts";
import { groupEventReasons as controllerGroupEvents } from "../../components/snapshot-controller/group-snapshot/group-event-reasons.ts";
import { groupMessages as controllerGroup } from "../../components/snapshot-controller/group-snapshot/group-messages.ts";
import { messages as controller } from "../../components/snapshot-controller/messages.ts";
import { eventReasons as snapshotterEvents } from "../../components/snapshotter/event-reasons.ts";
import { groupMessages } from "../../components/snapshotter/group-content/group-messages.ts";
import { messages as snapshotter } from "../../components/snapshotter/messages.ts";
import { eventReasons as validatorEvents } from "../../components/volume-data-source-validator/event-reasons.ts";
import { secretReference } from "../../packages/controller/index.ts";
import { reportsAmong, responsibleAmong } from "../../packages/diagnose/why/responsible-sidecar.ts";
import { explainError } from "../../packages/diagnose/why/words/driver-errors.ts";

const components = await responsibleComponents();
const responsibleFor = responsibleAmong(components);
const remedyOf = (operation: VolumeOperation, text: string) => explainError(operation, text, responsibleFor).remedy;

const badTemplate = secretReference("provisioner", { "csi.storage.k8s.io/provisioner-secret-name": "s" }, { volume: "pv" });
const badToken = secretReference(
  "provisioner",
  { "csi.storage.k8s.io/provisioner-secret-name": "$nothing", "csi.storage.k8s.io/provisioner-secret-namespace": "n" },
  { volume: "pv" },
);

/** Each message that a component writes, as its code writes it, with a piece of what `why` says about it. */
const cases: Readonly<Partial<Record<VolumeOperation, readonly (readonly [string, string])[]>>> = {
  create: [
    [provisioner.secretUnreadable("s", "n", 'secrets "s" not found'), "create that secret"],
    [provisioner.secretUnreadable("s", "n", 'secrets "s" is forbidden: User "u" cannot get'), "grant the driver's service account"],
    [provisioner.infeasible(provisioner.selectorUnsupported()), "recreate the claim without spec.selector"],
    [provisioner.noAccessibility("no topology key found for node n1"), "CSINode lists the driver"],
    [provisioner.noAccessibility(provisioner.nodeNotAllowed("n1", "[zone=a]", "[[zone=b]]")), "allowedTopologies"],
    [provisioner.noAccessibility(provisioner.nodeNotRequisite("[zone=a]", "n1", "[[zone=b]]")), "allowedTopologies"],
    [provisioner.csiNodeMissing("n1"), "CSINode lists the driver"],
    [provisioner.selectorUnsupported(), "recreate the claim without spec.selector"],
    [provisioner.unsupported("clone operations", "controller CLONE_VOLUME"), "use another driver"],
    [provisioner.attributesClassOfOtherDriver("gold", "theirs", "ours"), "VolumeAttributesClass of the claim's own driver"],
    [provisioner.modeChanged("a/b", "x"), "allow-volume-mode-change"],
    ...[
      provisioner.snapshotNotReady("s"),
      provisioner.snapshotNotBound("s"),
      provisioner.snapshotHandleMissing("s"),
      provisioner.snapshotBeingDeleted("s"),
      provisioner.snapshotUnreadable("s", "timeout"),
    ].map((text) => [`error getting handle for DataSource Type VolumeSnapshot by Name s: ${text}`, "csi-snapshotter"] as const),
    [provisioner.smallerThanSnapshot(1n, 2n, "s"), "at least the size of its source"],
    [provisioner.smallerThanCloneSource(1n, 2n), "at least the size of its source"],
    [provisioner.cloneModeDiffers("Block", "Filesystem"), "volumeMode of its source"],
    [provisioner.cloneSourceUnusable(), "a class of the source's own driver"],
    [provisioner.contentOfOtherSnapshot("c", "s"), "a class of the source's own driver"],
    [provisioner.contentOfOtherDriver("c", "s", "fast"), "a class of the source's own driver"],
    [provisioner.sourceNotGranted("prod/s", "VolumeSnapshot", "a/b"), "ReferenceGrant"],
    [provisioner.crossNamespaceDisabled(), "enable the feature gate"],
    [provisioner.volumeUnsaved("invalid"), "find out why the API server rejects the object"],
    [provisioner.volumeUnsaved(provisioner.volumeAlreadyExists("pvc-1")), "delete that PersistentVolume"],
    [provisioner.volumeOfOtherClaim("pvc-1"), "volumes have names of their own"],
    [provisioner.volumeRejected('PersistentVolume "pvc-1" is invalid: spec.x'), "the volume is deleted, and created again"],
    ...[
      provisioner.createdTooSmall(5n, 10n),
      provisioner.contentSourceMissing(),
      provisioner.contentSourceDiffers("volume", "snapshot"),
      provisioner.answerWithout("volume id"),
      provisioner.unknownTopologyKeys("zone"),
    ].map((text) => [text, "the driver's answer is wrong"] as const),
    [provisioner.classMissing("fast"), "correct the parameters of the class"],
    [badTemplate.error ?? "", "correct the parameters of the class"],
    [badToken.error ?? "", "correct the parameters of the class"],
  ],
  delete: [
    [provisioner.stillAttached("pv-1", "n1"), "csi-sidecars why pv"],
    [provisioner.volumeOfOtherDriver("theirs", "pv.kubernetes.io/provisioned-by", "ours"), "correct the annotation"],
  ],
  attach: [
    [attacher.secretUnreadable("n/s", 'secrets "s" not found'), "create that secret"],
    [attacher.csiNodeMissing("n1"), "check that the node exists"],
    [attacher.driverNotRegistered("n1", "csi.example.com"), "has registered on it"],
  ],
  expand: [
    [resizer.inUse("a/b", "csi.example.com"), "stop the pods that use the claim"],
    [resizer.podsUnknown("a/b", "csi.example.com"), "list and watch pods"],
    ...[resizer.secretUnreadable("s", "n", 'secrets "s" not found')].flatMap((text) =>
      [resizer.resizeFailed("pv-1", "csi.example.com", text), resizer.expandFailed(text)].map(
        (wrapped) => [wrapped, "create that secret"] as const,
      ),
    ),
    ...[resizer.answeredTooLittle(1n, 2n), resizer.answeredTooMuch(9n, 2n)].map(
      (text) => [resizer.resizeFailed("pv-1", "csi.example.com", text), "the driver's answer is wrong"] as const,
    ),
    [resizer.failureUnsaved(resizer.expandFailed("no"), "a/b", "etcdserver: request timed out"), "fix what the message says"],
  ],
  modify: [
    [resizer.secretUnreadable("s", "n", 'secrets "s" not found'), "create that secret"],
    [resizer.stillModifying(resizer.secretUnreadable("s", "n", 'secrets "s" not found'), "gold"), "create that secret"],
    [resizer.modifiedUnsaved("gold", "invalid"), "find out why the API server rejects the object"],
    [resizer.statusNotKept(), "feature gate VolumeAttributesClass"],
    [resizer.classMissing("gold"), "create it, or name an existing one"],
    [resizer.classOfOtherDriver("gold", "theirs", "ours"), "a VolumeAttributesClass of the volume's own driver"],
  ],
  snapshot: [
    ...[snapshotter.createFailed, snapshotter.checkFailed].flatMap((failed) => [
      [failed(snapshotter.inputUnavailable("c", snapshotter.classMissing("gone"))), "create a class of that name"] as const,
      [failed(snapshotter.inputUnavailable("c", snapshotter.secretUnnamed("snapshot content", '"c"'))), "deletion-secret"] as const,
    ]),
    [snapshotter.classUnavailable("gone", "c", snapshotter.classMissing("gone")), "create a class of that name"],
    [snapshotter.inputUnavailable("c", snapshotter.noClass("c")), "name a class in spec"],
    [snapshotter.inputUnavailable("c", snapshotter.credentialsMissing("snapshot content", '"c"')), "deletion-secret"],
    [snapshotter.annotatedCredentialsUnread("c", snapshotter.credentialsMissing("snapshot content", '"c"')), "deletion-secret"],
    [
      snapshotter.credentialsUnread("snapshot content", "c", snapshotter.secretUnreadable("s", "n", 'secrets "s" not found')),
      "create that secret",
    ],
    [snapshotter.secretReferenceInvalid("snapshot content", "c", "no"), "correct the parameters of the class"],
    [snapshotter.parametersInvalid("no"), "correct the parameters of the class"],
    [snapshotter.takeFailed("v", snapshotter.notBound("c")), "snapshot-controller runs"],
    [snapshotter.takeFailed("v", snapshotter.noVolume("c")), "snapshot-controller runs"],
    [snapshotter.lookUpFailed("c", snapshotter.snapshotNotFound("s-1")), "check the handles"],
    ...[
      snapshotter.answeredWithoutSnapshot(),
      snapshotter.answeredWithoutId(),
      snapshotter.answeredOtherSnapshot('"a"', '"b"'),
      snapshotter.answeredSenselessSize("a", -1n),
    ].map((text) => [snapshotter.takeFailed("v", text), "the driver's answer is wrong"] as const),
    [snapshotter.saveFailed("c", snapshotter.writeFailed("c", "no")), "find out why the API server rejects the content"],
    ...[snapshotter.markFailed("c", "no"), snapshotter.unmarkFailed("c", "no"), snapshotter.unmarkAfterErrorFailed("c", "no")].map(
      (text) => [text, "fix what the message says"] as const,
    ),
  ],
  deleteSnapshot: [
    [snapshotter.credentialsUnreadable(), "deletion-secret"],
    [snapshotter.deleteInputUnavailable("c", snapshotter.credentialsMissing("snapshot content", '"c"')), "deletion-secret"],
    [snapshotter.deleteFailed(), "see the logs"],
    [snapshotter.clearFailed(), "find out why the API server rejects the content"],
  ],
  groupSnapshot: [
    [groupMessages.inputUnavailable("c", groupMessages.classMissing("gone")), "create a class of that name"],
    [groupMessages.createFailed(groupMessages.noClass("c")), "name a class in spec"],
    [groupMessages.classUnavailable("gone", "c", groupMessages.classMissing("gone")), "create a class of that name"],
    [groupMessages.checkFailed(groupMessages.nothingToCheck("c")), "check the handles"],
    [groupMessages.takeFailed("a b", groupMessages.notBound("c")), "snapshot-controller runs"],
    [groupMessages.takeFailed("a b", groupMessages.noVolumes("c")), "snapshot-controller runs"],
    ...[
      groupMessages.answeredWithoutGroup(),
      groupMessages.answeredWithoutId(),
      groupMessages.answeredOtherVolume("s", "v"),
      groupMessages.answeredWithoutSnapshotId("a"),
      groupMessages.answeredVolumeTwice("a"),
      groupMessages.answeredSnapshotTwice("s"),
      groupMessages.answeredWithoutVolume("a"),
    ].map((text) => [groupMessages.takeFailed("a b", text), "the driver's answer is wrong"] as const),
    [groupMessages.getFailed("c", groupMessages.answeredOtherGroup("g", "h")), "the driver's answer is wrong"],
    [groupMessages.saveFailed("c", "no"), "find out why the API server rejects the content"],
    ...[groupMessages.markFailed("c", "no"), groupMessages.unmarkFailed("c", "no"), groupMessages.unmarkAfterErrorFailed("c", "no")].map(
      (text) => [text, "fix what the message says"] as const,
    ),
  ],
  deleteGroupSnapshot: [
    [groupMessages.deleteFailed(), "see the logs"],
    [groupMessages.nothingToDelete("c"), "check the handles"],
  ],
  bindSnapshot: [
    [controller.bindFailed(controller.foreignClass("c", "a", "gold", "b")), "a class of the content's own driver"],
    [controller.classUnknown(controller.classMissing("gone")), "create a class of that name"],
    [controller.defaultClassUnknown("cannot find default snapshot class"), "mark exactly one class"],
    [controller.defaultClassUnknown(controller.noDefaultForOthers("a/b")), "only volumes of CSI drivers"],
    [controller.contentCreationFailed(controller.inputUnavailable("s", controller.noClass("s"))), "name a class in spec"],
    [controller.contentCreationFailed(controller.inputUnavailable("s", "the PVC c is not yet bound")), "see that the claims are bound"],
    [controller.contentCreationFailed(controller.notCsi("pv")), "only volumes of CSI drivers"],
    [controller.contentCreationFailed(controller.driverMismatch("a", "b", "s", "pv")), "a class of the volume's own driver"],
    [controller.contentCreationFailed(controller.claimMissing("s")), "create the claim"],
    [controller.contentCreationFailed(controller.claimDeleted("c")), "delete the snapshot too"],
    [controller.finalizersFailed(controller.contentOfOtherKind("s", "a", "c", "b")), "has the handle of a snapshot"],
    [controller.contentNotPreProvisioned(), "has the handle of a snapshot"],
    [controller.contentNotDynamic("c"), "has the handle of a snapshot"],
    [controller.contentOfOther("c"), "correct the reference"],
    [controller.misbound(), "correct the reference"],
    [controller.contentMissing(), "create the content that the snapshot names"],
    [controller.notOneSource(), "with one source"],
    [controller.notOneHandle(), "with one source"],
    [controller.noNode("pv"), "nodeAffinity"],
    [controller.statusUpdateFailed(controller.groupUnknown("a/s")), "see that the group snapshot exists"],
    ...[controller.bindFailed("no"), controller.postFailed("s", "no"), controller.updateFailed("s", "no")].map(
      (text) => [text, "fix what the message says"] as const,
    ),
  ],
  unbindSnapshot: [
    [controller.snapshotMissing("team/s", "uid"), "restore what the content was taken for"],
    [controller.beingRestored(), "wait until the claims"],
    [controller.memberOfGroup("s", "g"), "delete the group snapshot"],
    [controller.groupsOff("s", "g"), "enable the feature gate"],
    [controller.contentNotDeleted(), "see the log of the snapshot-controller"],
    [controller.claimFinalizerFailed(), "see the log of the snapshot-controller"],
  ],
  bindGroupSnapshot: [
    [controllerGroup.bindFailed(controllerGroup.foreignClass("c", "a", "gold", "b")), "a class of the content's own driver"],
    [controllerGroup.classUnknown(controllerGroup.classMissing("gone")), "create a class of that name"],
    [controllerGroup.defaultClassUnknown("cannot find default group snapshot class"), "mark exactly one class"],
    [controllerGroup.defaultClassUnknown(controllerGroup.noDefaultForOthers("a/b")), "only volumes of CSI drivers"],
    [
      controllerGroup.contentCreationFailed(controllerGroup.inputUnavailable("g", controllerGroup.noClaims("app=db"))),
      "label the claims as spec.source.selector",
    ],
    [controllerGroup.inputUnavailable("g", controllerGroup.claimsUnavailable("app=db", "no")), "label the claims"],
    [controllerGroup.inputUnavailable("g", "the PVC c is not yet bound"), "see that the claims are bound"],
    [controllerGroup.notCsi("g", "pv"), "only volumes of CSI drivers"],
    [controllerGroup.notCsiEvent("pv"), "only volumes of CSI drivers"],
    [controllerGroup.driverMismatch("a", "b", "g", "pv"), "a class of the volume's own driver"],
    [controllerGroup.finalizersFailed(controllerGroup.contentOfOther("c")), "correct the reference"],
    [controllerGroup.misbound(), "correct the reference"],
    [controllerGroup.bindFailed(controllerGroup.bindMismatch("g", "c")), "correct the reference"],
    [controllerGroup.contentNotPreProvisioned(), "has the handle of a snapshot"],
    [controllerGroup.contentNotDynamic("c"), "has the handle of a snapshot"],
    [controllerGroup.contentMissing(), "create the content that the snapshot names"],
    [controllerGroup.notOneSource(), "with one source"],
    [controllerGroup.notOneHandle(), "with one source"],
    [controllerGroup.noNode("a b"), "nodeAffinity"],
    ...[controllerGroup.statusUpdateFailed("no"), controllerGroup.postFailed("g", "no"), controllerGroup.updateFailed("g", "no")].map(
      (text) => [text, "fix what the message says"] as const,
    ),
  ],
  unbindGroupSnapshot: [
    [controllerGroup.groupMissing("team/g", "uid"), "restore what the content was taken for"],
    [controllerGroup.memberBeingRestored("s", "g"), "wait until the claims"],
    [controllerGroup.contentNotDeleted(), "see the log of the snapshot-controller"],
    [controllerGroup.memberNotDeleted("s", "g", "no"), "fix what the message says"],
  ],
};

for (const [operation, rows] of Object.entries(cases) as [VolumeOperation, readonly (readonly [string, string])[]][]) {
  test.each(rows)(`to ${operation} fails with %p`, (text, remedy) => {
    expect(text).not.toBe("");
    expect(remedyOf(operation, text)).toContain(remedy);
  });
}

test("no message that a component declares is missing above", () => {
  const texts = Object.values(cases).flatMap((rows) => rows.map(([text]) => text));
  const { resizing, resized, nodeExpansionRequired, waitingForNode, modifying, modified, modifyCanceled, ...others } = resizer;
  const { modifyInProgress, modifyStillInProgress, modifyWaitsForRetry, ...errors } = others;
  const { creating, created, ready, ...controllerErrors } = controller;
  const { creating: groupCreating, created: groupCreated, ready: groupReady, ...groupErrors } = controllerGroup;
  const all = [provisioner, attacher, errors, snapshotter, groupMessages, controllerErrors, groupErrors];
  const declared = all.flatMap((messages) => Object.entries(messages));
  expect(declared.filter(([, message]) => !texts.some((text) => message.isIn(text))).map(([name]) => name)).toEqual([]);
});

describe("what components declare", () => {
  const ofVolumes: readonly VolumeOperation[] = ["create", "delete", "attach", "detach", "expand", "modify"];
  const ofDrivers: readonly VolumeOperation[] = [...ofVolumes, "snapshot", "deleteSnapshot", "groupSnapshot", "deleteGroupSnapshot"];
  const ofTheCluster: readonly VolumeOperation[] = ["bindSnapshot", "unbindSnapshot", "bindGroupSnapshot", "unbindGroupSnapshot"];
  const operations = [...ofDrivers, ...ofTheCluster];

  test.each(ofDrivers)("a sidecar of the driver is responsible to %s", (operation) => {
    expect(responsibleFor(operation)?.sidecar.legacyLease?.("csi.example.com")).toContain("csi.example.com");
  });

  test.each(ofTheCluster)("one component of the cluster is responsible to %s", (operation) => {
    expect(responsibleFor(operation)?.sidecar.legacyLease?.("csi.example.com")).toBe("snapshot-controller-leader");
  });

  test.each(operations)("no event to %s is declared twice", (operation) => {
    const { report } = responsibleFor(operation) ?? {};
    expect(new Set(report?.events.map(({ reason }) => reason)).size).toBe(report?.events.length ?? 0);
  });

  test.each([
    ["provisioner", eventReasons],
    ["resizer", resizerEvents],
    ["snapshotter", snapshotterEvents],
    ["snapshot-controller", controllerEvents],
    ["snapshot-controller for groups", controllerGroupEvents],
  ])("every event that the %s emits belongs to an operation", (_, reasons) => {
    const declared = operations.flatMap((operation) => responsibleFor(operation)?.report.events ?? []);
    expect(Object.values<EventReason>(reasons).filter((event) => !declared.includes(event))).toEqual([]);
  });

  test("warnings are failures, and only they", () => {
    const declared = operations.flatMap((operation) => responsibleFor(operation)?.report.events ?? []);
    expect(declared.filter(({ type, progress }) => (type === "Warning") !== (progress === "failed"))).toEqual([]);
  });

  test("what is special about a failure is recognised in it", () => {
    expect(responsibleFor("expand")?.report.inUse?.isIn(resizer.inUse("a/b", "csi.example.com"))).toBe(true);
    expect(responsibleFor("create")?.report.infeasible?.isIn(provisioner.infeasible("no"))).toBe(true);
    expect(responsibleFor("delete")?.report.stillAttached?.isIn(provisioner.stillAttached("pv-1", "n1"))).toBe(true);
  });
});

describe("what components declare about conditions", () => {
  const conditions: readonly VolumeCondition[] = ["volumeHealth", "nodeHealth", "dataSource"];
  const reportOn = reportsAmong(components);
  const declared = conditions.flatMap((condition) => reportOn(condition)?.events ?? []);

  test.each([
    ["health-monitor", healthEvents],
    ["volume-data-source-validator", validatorEvents],
  ])("every event that the %s emits belongs to a condition", (_, reasons) => {
    expect(Object.values<ConditionReason>(reasons).filter((event) => !declared.includes(event))).toEqual([]);
  });

  test.each<[VolumeCondition, ConditionReason["state"][]]>([
    ["volumeHealth", ["abnormal", "normal"]],
    ["nodeHealth", ["abnormal", "normal"]],
    // A claim whose populator came is not told: it gets its volume.
    ["dataSource", ["abnormal"]],
  ])("one component watches %s, and says when it begins and when it ends", (condition, states) => {
    expect(components.filter((each) => each.conditions?.[condition])).toHaveLength(1);
    expect([...new Set(reportOn(condition)?.events.map(({ state }) => state))].sort()).toEqual(states);
  });

  test("what is abnormal is a warning, and comes with a remedy", () => {
    const bad = declared.filter(({ state }) => state === "abnormal");
    expect(bad.filter(({ type, remedy }) => type !== "Warning" || !remedy)).toEqual([]);
  });

  test("which node an event is about", () => {
    const { nodeFailed, nodeRecovered } = healthEvents;
    expect(nodeFailed.subjectIn(health.nodeFailed("a b", "data", "default", "node-1.example"))).toBe("node-1.example");
    expect(nodeRecovered.subjectIn(health.nodeRecovered("node-1.example"))).toBe("node-1.example");
  });
});
