import { describe, expect, test } from "bun:test";
import type { V1Event, V1Node, V1VolumeSnapshot } from "@csi-sidecars/kube";
import { found, type Lookup, missing, unreadable } from "../../access/read-cluster.ts";
import type { ObservedConditions } from "../gather/observed.ts";
import { check } from "../testing/claim-cases.ts";
import { ago, bound, claim, event, now, observedClaim, observedVolume, pod, volume } from "../testing/objects.ts";
import { nodeFailed, nodeRecovered } from "../testing/sidecars.ts";
import { explainPod } from "./pod.ts";
import { explainVolume } from "./volume.ts";

const about = (reason: string, message: string, minutes: number, first = minutes): V1Event => ({
  ...event("PersistentVolumeClaim", reason, message, minutes, "csi-pv-monitor-controller-csi.example.com"),
  firstTimestamp: ago(first),
});
const abnormal = (minutes: number, first = minutes, message = "disk on fire") => about("VolumeConditionAbnormal", message, minutes, first);
const normal = (minutes: number) => about("VolumeConditionNormal", "The Volume returns to the healthy state", minutes);
const failed = (node: string, minutes: number) => about("NodeFailed", nodeFailed(node), minutes);
const recovered = (node: string, minutes: number) => about("NodeRecovered", nodeRecovered(node), minutes);

const withConditions = (events: readonly V1Event[], parts: Partial<ObservedConditions> = {}) =>
  observedClaim(bound(), { volume: found(volume()), events, conditions: { events, ...parts } });
const isAbnormal = "the driver reports that the volume is abnormal: disk on fire";
const isFine = "nothing is waiting: the claim is bound";

describe("a volume that its driver reports on", () => {
  test.each<[string, readonly V1Event[], "failed" | "done", string]>([
    ["abnormal", [abnormal(3)], "failed", isAbnormal],
    ["abnormal, without a message", [abnormal(3, 3, "")], "failed", "the driver reports that the volume is abnormal, without saying why"],
    ["healthy again", [abnormal(9), normal(3)], "done", isFine],
    ["abnormal again", [normal(9), abnormal(3, 20)], "failed", isAbnormal],
    ["never reported", [], "done", isFine],
  ])("%s", (_, events, state, summary) => {
    check(withConditions(events), [state, summary]);
  });

  test("a claim that is not bound has no volume to report on", () => {
    check(observedClaim(claim(), { events: [abnormal(3)] }), ["waiting", "csi.example.com has not reported anything about the claim"]);
  });

  test.each<[string, readonly V1Event[], string]>([
    ["as long as the event counts", [abnormal(1, 42)], ago(42)],
    ["since its last recovery, if the event was there before", [normal(9), abnormal(1, 42)], ago(9)],
    ["since it was first abnormal, whatever the driver says of it since", [abnormal(5, 42, "smoke"), abnormal(1, 7)], ago(42)],
    ["since its last recovery, whatever the driver says of it since", [normal(9), abnormal(5, 42, "smoke"), abnormal(1, 7)], ago(9)],
  ])("since when it is abnormal: %s", (_, events, since) => {
    const { steps } = check(withConditions(events), ["failed", isAbnormal]);
    expect(steps[1]?.evidence).toEqual([
      { object: "PersistentVolumeClaim default/data", field: "event VolumeConditionAbnormal (3 times)", value: "disk on fire", since },
    ]);
  });

  const snapshot = (name: string, minutes: number): V1VolumeSnapshot => ({
    metadata: { namespace: "default", name },
    status: { readyToUse: true, creationTime: ago(minutes) },
  });
  test.each<[string, Partial<ObservedConditions>, readonly V1Event[], string]>([
    ["what the driver's sidecar declares", {}, [abnormal(3)], "see the driver's log"],
    [
      "the newest snapshot",
      { snapshots: found([snapshot("old", 300), snapshot("new", 120)]) },
      [abnormal(3)],
      "see the driver's log; the newest snapshot that can be restored is default/new, taken 2h ago",
    ],
    ["no snapshot", { snapshots: found([]) }, [abnormal(3)], "see the driver's log; no snapshot of the claim is ready to be restored"],
    ["snapshots that cannot be read, or do not exist here", { snapshots: unreadable }, [abnormal(3)], "see the driver's log"],
    [
      "a report that is not repeated",
      {},
      [abnormal(40, 42)],
      "see the driver's log; this was last reported 40m ago: check that the driver's health-monitor still runs",
    ],
  ])("what to do: %s", (_, parts, events, remedy) => {
    const { steps } = check(withConditions(events, parts), ["failed", isAbnormal]);
    expect(steps.find(({ what }) => what === isAbnormal)?.remedy).toBe(remedy);
  });

  test("what else waits is said too, after it", () => {
    const growing = observedClaim(bound({ resources: { requests: { storage: "5Gi" } } }), {
      volume: found(volume()),
      conditions: { events: [abnormal(3)] },
    });
    const { steps } = check(growing, ["failed", isAbnormal]);
    expect(steps.some(({ what }) => what.includes("expand the volume"))).toBe(true);
  });

  test("a volume, and a pod, tell what is reported on the claim", () => {
    const claimRef = { namespace: "default", name: "data", uid: "claim-uid" };
    const ofVolume = explainVolume(
      observedVolume(volume({ claimRef }, { phase: "Bound" }), { claim: found(bound()), conditions: { events: [abnormal(3)] } }),
    );
    expect([ofVolume.state, ofVolume.summary]).toEqual(["failed", isAbnormal]);
    const ofPod = explainPod({
      ...observedVolume(undefined),
      ref: { namespace: "default", name: "app" },
      pod: found(pod({ nodeName: "n1" }, { phase: "Running" })),
      claims: [withConditions([abnormal(3)])],
      attachments: [],
      unattached: [],
    });
    expect([ofPod.state, ofPod.summary]).toEqual(["failed", `PersistentVolumeClaim default/data: ${isAbnormal}`]);
  });
});

describe("pods on a node that has failed", () => {
  const node = (ready: "True" | "Unknown"): Lookup<V1Node> => found({ status: { conditions: [{ type: "Ready", status: ready }] } });
  const on = (...names: string[]) =>
    found(names.map((nodeName, index) => ({ ...pod({ nodeName }), metadata: { namespace: "default", name: `app-${index}` } })));
  const seen = (name: string, state: Lookup<V1Node>) => [{ name, node: state }];
  const n1 = "pod default/app-0 uses the volume on node n1, which has failed";
  test.each<[string, readonly V1Event[], Partial<ObservedConditions>, "failed" | "done", string]>([
    ["is reported", [failed("n1", 3)], { nodes: seen("n1", node("Unknown")), pods: on("n1", "n2") }, "failed", n1],
    [
      "two pods",
      [failed("n1", 3)],
      { nodes: seen("n1", node("Unknown")), pods: on("n1", "n1") },
      "failed",
      "pods default/app-0 and default/app-1 use the volume on node n1, which has failed",
    ],
    [
      "the node was deleted",
      [failed("n1", 3)],
      { nodes: seen("n1", missing), pods: on("n1") },
      "failed",
      "pod default/app-0 uses the volume on node n1, which does not exist any more",
    ],
    [
      "neither pods nor nodes can be read",
      [failed("n1", 3)],
      { nodes: seen("n1", unreadable), pods: unreadable },
      "failed",
      "pods use the volume on node n1, which has failed",
    ],
    ["the node has recovered", [failed("n1", 9), recovered("n1", 3)], {}, "done", isFine],
    [
      "another node has recovered",
      [failed("n1", 9), recovered("n2", 3)],
      { nodes: seen("n1", node("Unknown")), pods: on("n1") },
      "failed",
      n1,
    ],
    ["the node is ready, and nobody told", [failed("n1", 9)], { nodes: seen("n1", node("True")), pods: on("n1") }, "done", isFine],
    ["the pods are gone", [failed("n1", 9)], { nodes: seen("n1", node("Unknown")), pods: on("n2") }, "done", isFine],
  ])("%s", (_, events, parts, state, summary) => {
    check(withConditions(events, parts), [state, summary, state === "failed" ? "bring the node back" : undefined]);
  });
});

test("a pod whose volume the kubelet reports", () => {
  const told = (minutes: number) =>
    explainPod({
      ...observedVolume(undefined),
      now,
      ref: { namespace: "default", name: "app" },
      pod: found(pod({ nodeName: "n1" }, { phase: "Running" })),
      claims: [],
      attachments: [],
      unattached: [],
      events: [event("Pod", "VolumeConditionAbnormal", "Volume v: read-only file system", minutes, "kubelet")],
    }).summary;
  expect(told(2)).toBe("the driver reports on the pod's node that a volume is abnormal: Volume v: read-only file system");
  expect(told(30)).toBe("nothing is waiting: the pod uses no claims");
});
