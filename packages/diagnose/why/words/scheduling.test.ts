import { expect, test } from "bun:test";
import { filterReason } from "@csi-sidecars/testcluster";
import { explainScheduling } from "./scheduling.ts";

test.each([
  ["1 csi.example.com CSI driver is not installed on the node.", "the driver is not installed on nodes", "node pod runs there"],
  ["1 node(s) had volume node affinity conflict.", "its volume cannot be used on the other nodes", "where its volume is"],
  ["1 node(s) didn't match PersistentVolume's node affinity.", "its volume cannot be used on the other nodes", "where its volume is"],
  ["1 node(s) had no available volume zone.", "its volume cannot be used on the other nodes", "where its volume is"],
  ['persistentvolumeclaim "data" is being deleted.', "a claim of it is being deleted", "when it is gone"],
  ['persistentvolumeclaim "data" bound to non-existent persistentvolume "pv-1".', "a claim of it is bound to a volume", "restore"],
  ["1 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).", "a claim of it is bound to a volume", "restore"],
  [
    'waiting for ephemeral volume controller to create the persistentvolumeclaim "app-v".',
    "the claim of its ephemeral volume",
    "kube-controller-manager",
  ],
  [
    "1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.",
    "another pod uses its claim",
    "stop the other pod",
  ],
  ["1 node(s) were unschedulable.", "nodes are cordoned", "uncordon"],
  ["1 node(s) had untolerated taint(s).", "nodes have taints", "tolerations"],
  ["1 node(s) didn't match pod anti-affinity rules.", "the rules for placing pods", "podAntiAffinity"],
  ["1 node(s) didn't match pod topology spread constraints.", "the rules for placing pods", "topologySpreadConstraints"],
  ["1 node(s) exceed max volume count.", "nodes have as many volumes as the driver allows", "add nodes"],
  ["pod has unbound immediate PersistentVolumeClaims.", "its claims are not bound", "the steps of its claims"],
  ["1 node(s) didn't find available persistent volumes to bind.", "no existing volume fits", "create a PersistentVolume"],
  ["1 Insufficient memory.", "nodes are full", "free resources on a node"],
  ["1 node(s) had untolerated taint {a: b}.", "nodes have taints", "tolerations"],
  ["1 node(s) didn't match Pod's node affinity/selector.", "nodes do not match", "label a node"],
])("%s", (message, meaning, remedy) => {
  const explained = explainScheduling(
    `0/1 nodes are available: ${message} preemption: 0/1 nodes are available: 1 Preemption is not helpful.`,
  );
  expect(explained.meaning).toStartWith(meaning);
  expect(explained.remedy).toContain(remedy);
  expect(explained.remedy.includes("free resources")).toBe(message.includes("Insufficient"));
});

test.each(Object.values(filterReason).map((reason) => (typeof reason === "string" ? reason : reason("csi.example.com"))))(
  "the scheduler of the embedded cluster is understood: %s",
  (reason) => {
    expect(explainScheduling(`0/1 nodes are available: 1 ${reason}.`).meaning).toBeDefined();
  },
);

test("several reasons are all told, and an unknown one is not guessed", () => {
  const both = explainScheduling("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had volume node affinity conflict.");
  expect(both.meaning).toBe("its volume cannot be used on the other nodes; nodes are full");
  expect(explainScheduling("no nodes available to schedule pods").remedy).toBe("add nodes");
  expect(explainScheduling("0/2 nodes are available").meaning).toBeUndefined();
});
