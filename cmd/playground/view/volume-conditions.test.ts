import { expect, test } from "bun:test";
import type { V1Event } from "@csi-sidecars/kube";
import { volumeConditions } from "./volume-conditions.ts";

const claim = { uid: "a", namespace: "default", name: "data" };
const event = (resourceVersion: string, reason: string, message?: string, uid = claim.uid): V1Event => ({
  metadata: { resourceVersion },
  involvedObject: { kind: "PersistentVolumeClaim", uid },
  reason,
  message,
});
const bad = (version: string, message?: string) => event(version, "VolumeConditionAbnormal", message);
const good = (version: string) => event(version, "VolumeConditionNormal", "The Volume returns to the healthy state");

test.each<[string, readonly V1Event[], string]>([
  ["no events", [], ""],
  ["other events", [event("1", "ProvisioningSucceeded", "done")], ""],
  ["a report", [bad("1", "x")], "x"],
  ["one without a reason", [bad("1")], "no reason given"],
  ["one about a claim that had its name before", [event("1", "VolumeConditionAbnormal", "x", "b")], ""],
  ["a recovery", [good("10"), bad("9", "x")], ""],
  ["a report after a recovery", [bad("11", "x"), good("10")], "x"],
  ["a report with another reason", [bad("3", "new"), bad("2", "old")], "new"],
])("by the events alone, with %s", (_, events, expected) => {
  expect(volumeConditions(events, undefined)(claim)).toBe(expected);
  expect(volumeConditions(events, undefined)(undefined)).toBe("");
});

const named = new Set(["default/data"]);

test.each<[string, readonly V1Event[], ReadonlySet<string>, string]>([
  ["a volume that is abnormal, and not reported yet", [], named, ""],
  ["one that is abnormal again, which was reported too often", [bad("1", "x"), good("2")], named, "x"],
  ["one that has recovered, which is not reported yet", [bad("1", "x")], new Set(), ""],
  ["another claim", [bad("1", "x")], new Set(["other/data"]), ""],
])("by the metrics, with %s", (_, events, abnormalClaims, expected) => {
  expect(volumeConditions(events, abnormalClaims)(claim)).toBe(expected);
});
