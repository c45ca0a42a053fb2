import { expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const path = (plural: string) => `/apis/apps/v1/namespaces/default/${plural}`;
const [deployments, statefulSets] = [path("deployments"), path("statefulsets")];
const selector = { matchLabels: { app: "a" } };
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const workload = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { selector, template, ...spec } });
const other = { metadata: { labels: { app: "b" } }, spec: template.spec };

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "what kubectl reads of a workload is filled in",
    [
      [`POST ${deployments}`, workload("filled"), "201", { "spec.replicas": 1, "spec.strategy.type": "RollingUpdate" }],
      [
        `POST ${statefulSets}`,
        workload("filled", { serviceName: "s" }),
        "201",
        { "spec.replicas": 1, "spec.podManagementPolicy": "OrderedReady", "spec.updateStrategy.type": "RollingUpdate" },
      ],
    ],
  ],
  [
    "the size is written by itself",
    [
      [`POST ${deployments}`, workload("sized", { replicas: 2 }), "201"],
      [
        `GET ${deployments}/sized/scale`,
        undefined,
        "200",
        { kind: "Scale", apiVersion: "autoscaling/v1", spec: { replicas: 2 }, status: { replicas: 0, selector: "app=a" } },
      ],
      [`MERGE ${deployments}/sized/scale`, { spec: { replicas: 5 } }, "200", { "spec.replicas": 5 }],
      [`PUT ${deployments}/sized/scale`, { metadata: { name: "sized" }, spec: { replicas: 3 } }, "200", { "spec.replicas": 3 }],
      [
        `PUT ${deployments}/sized/scale`,
        { metadata: { name: "sized", resourceVersion: "1" }, spec: { replicas: 4 } },
        '409 Conflict: Operation cannot be fulfilled on deployments.apps "sized": the object has been modified; please apply your changes to the latest version and try again',
      ],
      [`GET ${deployments}/sized`, undefined, "200", { "spec.replicas": 3, "metadata.generation": 3 }],
      [`GET ${deployments}/absent/scale`, undefined, '404 NotFound: deployments.apps "absent" not found'],
    ],
  ],
  [
    "a selector has to match the template, and stays",
    [
      [
        `POST ${deployments}`,
        workload("wrong", { template: other }),
        '422 Invalid: Deployment.apps "wrong" is invalid: spec.template.metadata.labels: Invalid value: {"app":"b"}: `selector` does not match template `labels`',
      ],
      [`POST ${deployments}`, workload("kept"), "201"],
      [
        `MERGE ${deployments}/kept`,
        { spec: { selector: { matchLabels: { app: "b" } }, template: other } },
        '422 Invalid: Deployment.apps "kept" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable',
      ],
    ],
  ],
  [
    "the claims of a stateful set stay as they are",
    [
      [`POST ${statefulSets}`, workload("kept", { serviceName: "s" }), "201"],
      [
        `MERGE ${statefulSets}/kept`,
        { spec: { serviceName: "t" } },
        "422 Invalid: StatefulSet.apps \"kept\" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ],
      [`MERGE ${statefulSets}/kept`, { spec: { replicas: 0, template: { spec: { hostname: "h" } } } }, "200", { "spec.replicas": 0 }],
    ],
  ],
];
test.each([...scenarios])("%s", async (_, steps) => {
  await follow(file.admin, steps);
});

test("clients find the kind of the scale", async () => {
  const { body } = await file.admin.get("/apis/apps/v1");
  const scale = body.resources.find(({ name }: { name: string }) => name === "statefulsets/scale");
  expect(scale).toMatchObject({ group: "autoscaling", version: "v1", kind: "Scale", namespaced: true });
  expect(scale.verbs.toSorted()).toEqual(["get", "patch", "update"]);
});
