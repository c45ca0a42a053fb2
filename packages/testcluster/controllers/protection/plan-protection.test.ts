import { describe, expect, test } from "bun:test";
import type { Claim, ClusterPod, Volume } from "../fields.ts";
import { claim, pod, volume } from "../testing/objects.ts";
import { type ProtectionPlan, planClaimProtection, planVolumeProtection } from "./plan-protection.ts";

const deleted = "2026-01-01T00:00:00Z";
const ours = "kubernetes.io/pvc-protection";
const onNode = (parts: Parameters<typeof pod>[1] = {}) => pod(["data"], { ...parts, spec: { nodeName: "n1" } });
const deletedClaim = claim({ metadata: { finalizers: ["a", ours, "b"], deletionTimestamp: deleted } });
const release: ProtectionPlan = { step: "release", finalizers: ["a", "b"] };

const claims: readonly (readonly [string, Claim, readonly ClusterPod[], ProtectionPlan])[] = [
  ["a claim without protection gets it", claim({ metadata: { finalizers: ["a"] } }), [], { step: "protect", finalizers: ["a", ours] }],
  ["a protected claim", claim({ metadata: { finalizers: [ours] } }), [], { step: "none" }],
  ["deleted and unused", deletedClaim, [], release],
  ["deleted and used", deletedClaim, [onNode()], { step: "none" }],
  ["deleted and used by a finished pod", deletedClaim, [onNode({ status: { phase: "Succeeded" } })], { step: "none" }],
  ["deleted, wanted by a pod without a node", deletedClaim, [pod(["data"])], release],
  ["deleted, a pod of another namespace uses a claim of that name", deletedClaim, [onNode({ metadata: { namespace: "other" } })], release],
  ["deleted, others still hold it", claim({ metadata: { finalizers: ["a"], deletionTimestamp: deleted } }), [], { step: "none" }],
];

const volumes: readonly (readonly [string, Volume, ProtectionPlan])[] = [
  ["a volume without protection gets it", volume(), { step: "protect", finalizers: ["kubernetes.io/pv-protection"] }],
  ["deleted and bound", pv("Bound"), { step: "none" }],
  ["deleted and released", pv("Released"), { step: "release", finalizers: ["x"] }],
  ["deleted and available", pv("Available"), { step: "release", finalizers: ["x"] }],
];

function pv(phase: NonNullable<Volume["status"]>["phase"]): Volume {
  return volume({ metadata: { finalizers: ["kubernetes.io/pv-protection", "x"], deletionTimestamp: deleted }, status: { phase } });
}

describe("protection", () => {
  test.each(claims)("%s", (_name, given, pods, plan) => expect(planClaimProtection(given, pods)).toEqual(plan));
  test.each(volumes)("%s", (_name, given, plan) => expect(planVolumeProtection(given)).toEqual(plan));
});
