import { expect, test } from "bun:test";
import type { V1Pod } from "@csi-sidecars/kube";
import { planStatefulSet } from "./plan-stateful-set.ts";
import { type PodState, podOf } from "./testing/pods.ts";
import type { V1StatefulSet } from "./workload-kinds.ts";

type Spec = NonNullable<V1StatefulSet["spec"]>;

const selector = { matchLabels: { app: "db" } };
const template = { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "main", image: "db:1" }] } };
const setOf = (spec: Partial<Spec> = {}): V1StatefulSet => ({
  metadata: { name: "db", namespace: "default", uid: "set-uid", generation: 3 },
  spec: { replicas: 3, selector, serviceName: "db", template, ...spec },
});

const present = planStatefulSet(setOf(), []).status.updateRevision ?? "";
const pods = (states: readonly (PodState | "absent" | "old")[]): readonly V1Pod[] =>
  states.flatMap((state, i) => {
    if (state === "absent") return [];
    const revision = { "controller-revision-hash": state === "old" ? "db-earlier" : present };
    return [podOf(`db-${i}`, state === "old" ? "ready" : state, revision)];
  });

const summary = (set: V1StatefulSet, states: Parameters<typeof pods>[0]) => {
  const { create, remove } = planStatefulSet(set, pods(states));
  return [...create.map(({ pod }) => `+${pod.metadata?.name}`), ...remove.map(({ metadata }) => `-${metadata?.name}`)].join(" ");
};

const parallel = { podManagementPolicy: "Parallel" } as const;
const cases: readonly [what: string, spec: Partial<Spec>, states: Parameters<typeof pods>[0], change: string][] = [
  ["the first pod alone", {}, [], "+db-0"],
  ["waits for the first", {}, ["pending"], ""],
  ["then the second", {}, ["ready"], "+db-1"],
  ["waits for one that is being deleted", {}, ["ready", "terminating"], ""],
  ["fills a gap before it goes on", {}, ["ready", "absent", "ready"], "+db-1"],
  ["replaces one that has failed", {}, ["ready", "failed"], "-db-1"],
  ["nothing when all are ready", {}, ["ready", "ready", "ready"], ""],
  ["the last one goes first", { replicas: 1 }, ["ready", "ready", "ready"], "-db-2"],
  ["one after the other", { replicas: 1 }, ["ready", "ready", "terminating"], ""],
  ["all at once", parallel, [], "+db-0 +db-1 +db-2"],
  ["all at once, also away", { ...parallel, replicas: 0 }, ["ready", "pending"], "-db-1 -db-0"],
  ["numbers from where it is told", { ordinals: { start: 1 } }, ["absent", "ready"], "+db-2"],
  ["a new template from the last pod on", {}, ["old", "old", "old"], "-db-2"],
  ["waits for the pod with the new template", {}, ["old", "old", "pending"], ""],
  ["then the one before", {}, ["old", "old", "ready"], "-db-1"],
  ["not below the partition", { updateStrategy: { rollingUpdate: { partition: 2 } } }, ["old", "old", "ready"], ""],
  ["not by itself", { updateStrategy: { type: "OnDelete" } }, ["old", "old", "old"], ""],
];

test.each([...cases])("%s", (_, spec, states, change) => {
  expect(summary(setOf(spec), states)).toBe(change);
});

test("a pod mounts claims that have its number and outlive it", () => {
  const volumeClaimTemplates = [{ metadata: { name: "data", labels: { tier: "fast" } }, spec: { accessModes: ["ReadWriteOnce"] } }];
  const [made] = planStatefulSet(setOf({ volumeClaimTemplates } as Partial<Spec>), []).create;
  expect(made?.claims).toEqual([
    {
      metadata: { name: "data-db-0", namespace: "default", labels: { tier: "fast", app: "db" } },
      spec: { accessModes: ["ReadWriteOnce"] },
    },
  ]);
  expect(made?.pod).toMatchObject({
    metadata: {
      name: "db-0",
      labels: { app: "db", "statefulset.kubernetes.io/pod-name": "db-0", "apps.kubernetes.io/pod-index": "0" },
      ownerReferences: [{ kind: "StatefulSet", name: "db", uid: "set-uid", controller: true }],
    },
    spec: { hostname: "db-0", subdomain: "db", volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-db-0" } }] },
  });
});

test("claims that are to go with the set are owned by it", () => {
  const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: {} }];
  const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete" };
  const [made] = planStatefulSet(setOf({ volumeClaimTemplates, persistentVolumeClaimRetentionPolicy } as Partial<Spec>), []).create;
  expect(made?.claims[0]?.metadata?.ownerReferences).toMatchObject([{ kind: "StatefulSet", uid: "set-uid" }]);
});

test("the status says how far a rollout is", () => {
  const set = { ...setOf(), status: { replicas: 3, currentRevision: "db-earlier" } };
  expect(planStatefulSet(set, pods(["old", "old", "ready"])).status).toMatchObject({
    ...{ observedGeneration: 3, replicas: 3, readyReplicas: 3, updatedReplicas: 1, currentReplicas: 2 },
    ...{ currentRevision: "db-earlier", updateRevision: present },
  });
  expect(planStatefulSet(set, pods(["ready", "ready", "ready"])).status.currentRevision).toBe(present);
});
