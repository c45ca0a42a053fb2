import { expect, test } from "bun:test";
import { planReplicaSet } from "./plan-replica-set.ts";
import { type PodState, podOf } from "./testing/pods.ts";
import type { V1ReplicaSet } from "./workload-kinds.ts";

const set = (replicas: number): V1ReplicaSet => ({
  metadata: { name: "web-1", namespace: "default", uid: "rs" },
  spec: { replicas, selector: {}, template: { metadata: { labels: { app: "web" } } } },
});

test.each<[string, number, readonly PodState[], created: number, removed: readonly string[]]>([
  ["creates what is missing", 2, [], 2, []],
  ["counts no pod that terminates or has ended", 2, ["ready", "terminating", "failed"], 1, []],
  ["removes pods that are not ready first", 1, ["ready", "pending", "ready"], 0, ["p1", "p0"]],
  ["leaves the right number alone", 2, ["ready", "pending"], 0, []],
])("%s", (_, replicas, states, created, removed) => {
  const plan = planReplicaSet(
    set(replicas),
    states.map((state, i) => podOf(`p${i}`, state)),
  );
  expect([plan.create.length, plan.remove.map(({ metadata }) => metadata?.name)]).toEqual([created, [...removed]]);
});

test("a pod is generated from the template and owned", () => {
  expect(planReplicaSet(set(1), []).create[0]?.metadata).toMatchObject({
    generateName: "web-1-",
    labels: { app: "web" },
    ownerReferences: [{ kind: "ReplicaSet", name: "web-1", uid: "rs", controller: true }],
  });
});
