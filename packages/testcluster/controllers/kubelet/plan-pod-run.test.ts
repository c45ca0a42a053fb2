import { describe, expect, test } from "bun:test";
import { attachmentName } from "../attach-detach/plan-attachments.ts";
import type { ClusterPod } from "../fields.ts";
import { attachment, claim, driver, pod, volume } from "../testing/objects.ts";
import { type MountListers, type PodRunPlan, planPodRun, volumesInUse } from "./plan-pod-run.ts";

const deleted = "2026-01-01T00:00:00Z";
const onNode = (parts: Parameters<typeof pod>[1] = {}) => pod(["data"], { ...parts, spec: { nodeName: "n1" } });
const bound = claim({ spec: { volumeName: "pv-1" }, status: { phase: "Bound" } });
const va = attachmentName("handle-1", "csi.example.com", "n1");
const listers = (parts: Partial<MountListers> = {}): MountListers => ({
  claimNamed: () => bound,
  volumeNamed: () => volume(),
  driverNamed: () => driver(),
  attachmentNamed: (name) => (name === va ? attachment(va, "n1", { status: { attached: true } }) : undefined),
  ...parts,
});

const runs: readonly (readonly [string, ClusterPod, Partial<MountListers>, PodRunPlan])[] = [
  ["everything is attached", onNode(), {}, { step: "run" }],
  ["no volumes", pod([], { spec: { nodeName: "n1" } }), {}, { step: "run" }],
  ["no node yet", pod(["data"]), {}, { step: "none" }],
  ["running already", onNode({ status: { phase: "Running" } }), {}, { step: "none" }],
  ["claim not bound", onNode(), { claimNamed: () => claim() }, { step: "wait", because: "claim default/data is not bound" }],
  [
    "claim being deleted",
    onNode(),
    { claimNamed: () => ({ ...bound, metadata: { ...bound.metadata, deletionTimestamp: deleted } }) },
    { step: "wait", because: "claim default/data is being deleted" },
  ],
  ["not attached", onNode(), { attachmentNamed: () => attachment(va, "n1") }, { step: "wait", because: "volume pv-1 is not attached" }],
  [
    "attachment being deleted",
    onNode(),
    { attachmentNamed: () => attachment(va, "n1", { metadata: { deletionTimestamp: deleted }, status: { attached: true } }) },
    { step: "wait", because: "volume pv-1 is not attached" },
  ],
  [
    "a driver that does not attach",
    onNode(),
    { attachmentNamed: () => undefined, driverNamed: () => driver({ attachRequired: false }) },
    { step: "run" },
  ],
  ["being deleted", onNode({ metadata: { deletionTimestamp: deleted, deletionGracePeriodSeconds: 30 } }), {}, { step: "finish" }],
  ["ended, held by finalizers", onNode({ metadata: { deletionTimestamp: deleted, deletionGracePeriodSeconds: 0 } }), {}, { step: "none" }],
];

describe("planPodRun", () => {
  test.each(runs)("%s", (_name, given, parts, plan) => expect(planPodRun(given, listers(parts))).toEqual(plan));

  test("a node names the volumes of its pods once, until the pods are gone", () => {
    const ending = onNode({ metadata: { deletionTimestamp: deleted } });
    expect(volumesInUse([onNode(), ending], listers())).toEqual(["kubernetes.io/csi/csi.example.com^handle-1"]);
    expect(volumesInUse([onNode({ status: { phase: "Succeeded" } })], listers())).toEqual([]);
  });
});
