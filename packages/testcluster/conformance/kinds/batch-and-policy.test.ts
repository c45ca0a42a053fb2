import { expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const jobs = "/apis/batch/v1/namespaces/default/jobs";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const accounts = "/api/v1/namespaces/default/serviceaccounts";
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "what is read of a job is filled in",
    [
      [
        `POST ${jobs}`,
        { metadata: { name: "filled" }, spec: { template } },
        "201",
        {
          "spec.parallelism": 1,
          "spec.completions": 1,
          "spec.backoffLimit": 6,
          "spec.completionMode": "NonIndexed",
          "spec.suspend": false,
        },
      ],
    ],
  ],
  [
    "a budget counts its generations",
    [
      [
        `POST ${budgets}`,
        { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } } },
        "201",
        { "metadata.generation": 1, "spec.minAvailable": 1 },
      ],
      [`MERGE ${budgets}/b`, { spec: { minAvailable: "50%" } }, "200", { "metadata.generation": 2, "spec.minAvailable": "50%" }],
    ],
  ],
  [
    "a service account gets tokens",
    [
      [`POST ${accounts}`, { metadata: { name: "robot" } }, "201"],
      [
        `POST ${accounts}/robot/token`,
        { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 601 } },
        "201",
        { kind: "TokenRequest", "metadata.name": "robot", "metadata.namespace": "default", "spec.expirationSeconds": 601 },
      ],
      [
        `POST ${accounts}/robot/token`,
        { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 60 } },
        '422 Invalid: TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
      ],
      [
        `POST ${accounts}/absent/token`,
        { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
        '404 NotFound: serviceaccounts "absent" not found',
      ],
    ],
  ],
];
test.each([...scenarios])("%s", async (_, steps) => {
  await follow(file.admin, steps);
});

test("a job selects its pods by its own uid", async () => {
  const { body } = await file.admin.post(jobs, { metadata: { name: "selecting" }, spec: { template } });
  const { uid } = body.metadata;
  expect(body.spec.selector).toEqual({ matchLabels: { "batch.kubernetes.io/controller-uid": uid } });
  expect(body.spec.template.metadata.labels).toEqual({
    ...{ "batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": "selecting" },
    ...{ "controller-uid": uid, "job-name": "selecting" },
  });
});

test.each([
  ["batch", "jobs", "Job", undefined],
  ["batch", "cronjobs", "CronJob", ["cj"]],
  ["policy", "poddisruptionbudgets", "PodDisruptionBudget", ["pdb"]],
])("clients find %s %s", async (group, name, kind, shortNames) => {
  const { body } = await file.admin.get(`/apis/${group}/v1`);
  const found = body.resources.find((resource: { name: string }) => resource.name === name);
  expect([found.kind, found.shortNames]).toEqual([kind, shortNames]);
});

test("clients find tokens, and metrics", async () => {
  const { body } = await file.admin.get("/api/v1");
  const token = body.resources.find(({ name }: { name: string }) => name === "serviceaccounts/token");
  expect(token).toEqual({
    ...{ name: "serviceaccounts/token", singularName: "", namespaced: true },
    ...{ group: "authentication.k8s.io", version: "v1", kind: "TokenRequest", verbs: ["create"] },
  });
  expect((await file.admin.get("/metrics")).code).toBe(200);
});
