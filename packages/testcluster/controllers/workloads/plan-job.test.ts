import { expect, test } from "bun:test";
import { planJob } from "./plan-job.ts";
import { type PodState, podOf } from "./testing/pods.ts";
import type { V1Job } from "./workload-kinds.ts";

const job = (spec: Partial<NonNullable<V1Job["spec"]>> = {}): V1Job => ({
  metadata: { name: "backup", namespace: "default", uid: "j" },
  spec: { template: { metadata: { labels: { app: "backup" } } }, ...spec },
});

test.each<[string, V1Job, readonly PodState[], created: number, active: number, failed: number]>([
  ["has one pod", job(), [], 1, 0, 0],
  ["has no more while that runs", job(), ["ready"], 0, 1, 0],
  ["replaces a pod that has failed", job(), ["failed"], 1, 0, 1],
  ["gives up after so many failures", job({ backoffLimit: 0 }), ["failed"], 0, 0, 1],
  ["has several pods at once", job({ parallelism: 2, completions: 3 }), ["ready"], 1, 1, 0],
  ["starts nothing while it is suspended", job({ suspend: true }), [], 0, 0, 0],
])("a job %s", (_, of, states, created, active, failed) => {
  const { create, status } = planJob(
    of,
    states.map((state, i) => podOf(`p${i}`, state)),
  );
  expect([create.length, status.active, status.failed]).toEqual([created, active, failed]);
});

test("a pod is generated from the template and owned", () => {
  expect(planJob(job(), []).create[0]?.metadata).toMatchObject({
    generateName: "backup-",
    labels: { app: "backup" },
    ownerReferences: [{ kind: "Job", name: "backup", uid: "j", controller: true }],
  });
});
