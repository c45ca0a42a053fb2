import { expect, test } from "bun:test";
import { planDeployment, revisionAnnotation } from "./plan-deployment.ts";
import type { V1Deployment, V1ReplicaSet } from "./workload-kinds.ts";

const template = (image: string) => ({ metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image }] } });
const deployment = (image: string, spec: Partial<NonNullable<V1Deployment["spec"]>> = {}): V1Deployment => ({
  metadata: { name: "web", namespace: "default", uid: "d" },
  spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template: template(image), ...spec },
});

/** The ReplicaSet that the deployment made for an image. */
function setFor(image: string, revision: number, replicas: number, terminatingReplicas = 0): V1ReplicaSet {
  const made = planDeployment(deployment(image), []).create;
  if (!made?.spec) throw new Error("no ReplicaSet");
  const annotations = { [revisionAnnotation]: String(revision) };
  const status = { replicas, readyReplicas: replicas, availableReplicas: replicas, terminatingReplicas };
  return { metadata: { ...made.metadata, annotations }, spec: { ...made.spec, replicas }, status };
}

const changes = (...[of, sets]: Parameters<typeof planDeployment>) =>
  planDeployment(of, sets).change.map(({ set, replicas, revision }) => `${set.metadata?.name} ${replicas} r${revision}`);
const nameFor = (image: string) => setFor(image, 1, 0).metadata?.name;

test("a new template gets a ReplicaSet, whose pods have the hash in their labels", () => {
  const { create } = planDeployment(deployment("web:1"), []);
  const hash = create?.metadata?.labels?.["pod-template-hash"];
  expect(create).toMatchObject({
    metadata: { name: `web-${hash}`, annotations: { [revisionAnnotation]: "1" } },
    spec: { replicas: 0, selector: { matchLabels: { app: "web", "pod-template-hash": hash } } },
  });
  expect(create?.spec?.template?.metadata?.labels).toMatchObject({ "pod-template-hash": hash });
});

test("it grows to the size wanted", () => {
  expect(changes(deployment("web:1"), [setFor("web:1", 1, 0)])).toEqual([`${nameFor("web:1")} 2 r1`]);
});

test("Recreate waits until the last old pod is gone", () => {
  const recreate = deployment("web:2", { strategy: { type: "Recreate" } });
  const current = setFor("web:2", 2, 0);
  expect(changes(recreate, [setFor("web:1", 1, 2), current])).toEqual([`${nameFor("web:1")} 0 r1`]);
  expect(changes(recreate, [setFor("web:1", 1, 0, 1), current])).toEqual([]);
  expect(changes(recreate, [setFor("web:1", 1, 0), current])).toEqual([`${nameFor("web:2")} 2 r2`]);
});

test("a rollback makes the earlier ReplicaSet the newest", () => {
  expect(changes(deployment("web:1"), [setFor("web:1", 1, 0), setFor("web:2", 2, 2)])).toEqual([`${nameFor("web:1")} 1 r3`]);
});

test("a paused rollout starts nothing new", () => {
  expect(planDeployment(deployment("web:2", { paused: true }), [setFor("web:1", 1, 2)])).toMatchObject({ change: [] });
  expect(planDeployment(deployment("web:2", { paused: true }), []).create).toBeUndefined();
});

test("empty ReplicaSets beyond the history are removed, the oldest first", () => {
  const sets = [setFor("web:1", 1, 0), setFor("web:2", 2, 0), setFor("web:3", 3, 2)];
  const removed = planDeployment(deployment("web:3", { revisionHistoryLimit: 1 }), sets).remove;
  expect(removed.map(({ metadata }) => metadata?.name)).toEqual([nameFor("web:1") ?? ""]);
});
