import { expect, test } from "bun:test";
import type { WireAnswer } from "../../apiserver/testing/wire.ts";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster, untilServed } from "../testing/file-cluster.ts";
import { claims, definitions, maps, nodes } from "../testing/fixtures.ts";

const file = fileCluster(() => startCluster());
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const gauges = "/apis/example.com/v1/namespaces/default/gauges";

/** One apply, or with `edit` one merge patch, in the name of a manager. */
interface Step {
  readonly by: string;
  readonly force?: boolean;
  readonly edit?: boolean;
  readonly body: unknown;
  readonly said: string;
  /** What the step leaves of the members that the story is about. */
  readonly left?: unknown;
  /** The fields of every manager after it. */
  readonly owners?: Readonly<Record<string, unknown>>;
}

const apply = (path: string, { by, force = false, edit = false, body }: Step): Promise<WireAnswer> => {
  const query = `?fieldManager=${by}${force ? "&force=true" : ""}`;
  return file.admin.request("PATCH", path + query, body, edit ? "application/merge-patch+json" : "application/apply-patch+yaml");
};

const ownersIn = ({ body }: WireAnswer): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    (body.metadata.managedFields ?? []).map((entry: { manager: string; operation: string; subresource?: string; fieldsV1: unknown }) => [
      `${entry.manager} ${entry.operation}${entry.subresource ? ` ${entry.subresource}` : ""}`,
      entry.fieldsV1,
    ]),
  );

async function tell(path: string, about: (body: WireAnswer["body"]) => unknown, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    const answer = await apply(path, step);
    expect([step.body, answer.code < 400 ? String(answer.code) : `${answer.code} ${answer.body.message}`]).toEqual([step.body, step.said]);
    if ("left" in step) expect([step.body, about(answer.body)]).toEqual([step.body, step.left]);
    if (step.owners) expect([step.body, ownersIn(answer)]).toEqual([step.body, step.owners]);
  }
}

const map = (name: string, data?: Readonly<Record<string, string>>, labels?: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...(labels && { labels }) },
  ...(data && { data }),
});
const data = (...names: string[]) => ({ "f:data": Object.fromEntries(names.map((name) => [`f:${name}`, {}])) });
const label = { "f:metadata": { "f:labels": { "f:x": {} } } };

test("managers share an object: each has what it applied, and takes along what it no longer applies", async () => {
  await tell(`${maps}/shared`, (body) => body.data, [
    {
      by: "one",
      body: map("shared", { a: "1", b: "2" }, { x: "y" }),
      said: "201",
      owners: { "one Apply": { ...data("a", "b"), ...label } },
    },
    {
      by: "one",
      body: map("shared", { a: "1" }, { x: "y" }),
      said: "200",
      left: { a: "1" },
      owners: { "one Apply": { ...data("a"), ...label } },
    },
    { by: "two", body: map("shared", { c: "3" }), said: "200", left: { a: "1", c: "3" } },
    {
      by: "two",
      body: map("shared", { c: "3", a: "1" }),
      said: "200",
      owners: { "one Apply": { ...data("a"), ...label }, "two Apply": data("a", "c") },
    },
    {
      by: "one",
      body: map("shared", undefined, { x: "y" }),
      said: "200",
      left: { a: "1", c: "3" },
      owners: { "one Apply": label, "two Apply": data("a", "c") },
    },
    { by: "one", body: map("shared", { a: "9" }, { x: "y" }), said: '409 Apply failed with 1 conflict: conflict with "two": .data.a' },
    {
      by: "one",
      body: map("shared", { a: "9", c: "8" }),
      said: '409 Apply failed with 2 conflicts: conflicts with "two":\n- .data.a\n- .data.c',
    },
    {
      by: "one",
      force: true,
      body: map("shared", { a: "9" }, { x: "y" }),
      said: "200",
      left: { a: "9", c: "3" },
      owners: { "one Apply": { ...data("a"), ...label }, "two Apply": data("c") },
    },
    {
      by: "editor",
      edit: true,
      body: { data: { a: "5", z: "0" } },
      said: "200",
      owners: { "editor Update": data("a", "z"), "one Apply": label, "two Apply": data("c") },
    },
    { by: "one", body: map("shared", { a: "9" }), said: '409 Apply failed with 1 conflict: conflict with "editor" using v1: .data.a' },
    { by: "editor", edit: true, body: { data: { z: null } }, said: "200", left: { a: "5", c: "3" } },
    {
      by: "three",
      body: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\ndata: {k: text}\n",
      said: "200",
      left: { a: "5", c: "3", k: "text" },
    },
  ]);
});

test("an apply that changes nothing writes nothing", async () => {
  const step: Step = { by: "one", body: map("still", { a: "1" }), said: "201" };
  const first = await apply(`${maps}/still`, step);
  const second = await apply(`${maps}/still`, step);
  expect([first.code, second.code, second.body]).toEqual([201, 200, first.body]);
});

const deployment = (...containers: readonly object[]) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: { containers } } },
});
const addition = (...containers: readonly object[]) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  ...(containers.length > 0 && { spec: { template: { spec: { containers } } } }),
});
const variable = (name: string, value: string) => ({ name, value });

test("items of a list belong to who applied them, by their keys", async () => {
  interface Container {
    readonly name: string;
    readonly image: string;
    readonly env?: readonly { readonly name: string }[];
    readonly ports?: readonly { readonly containerPort: number }[];
  }
  const containers = (body: WireAnswer["body"]) =>
    body.spec.template.spec.containers.map(({ name, image, env = [], ports = [] }: Container) => [
      name,
      image,
      env.map((one) => one.name).join(),
      ports.map((one) => one.containerPort).join(),
    ]);
  const main = { name: "c", image: "i:1", env: [variable("A", "1"), variable("B", "2")], ports: [{ containerPort: 80 }] };
  await tell(`${deployments}/web`, containers, [
    { by: "one", body: deployment(main), said: "201", left: [["c", "i:1", "A,B", "80"]] },
    {
      by: "two",
      body: addition({ name: "side", image: "s:1" }, { name: "c", env: [variable("C", "3")] }),
      said: "200",
      left: [
        ["side", "s:1", "", ""],
        ["c", "i:1", "A,B,C", "80"],
      ],
    },
    {
      by: "two",
      body: addition({ name: "c", image: "mine:1" }),
      said: '409 Apply failed with 1 conflict: conflict with "one": .spec.template.spec.containers[name="c"].image',
    },
    {
      by: "one",
      body: deployment({ name: "c", image: "i:2", env: [variable("B", "2")] }),
      said: "200",
      left: [
        ["side", "s:1", "", ""],
        ["c", "i:2", "B,C", ""],
      ],
    },
    { by: "two", body: addition(), said: "200", left: [["c", "i:2", "B", ""]] },
  ]);
});

test("texts in a set, and lists without keys, which belong to one alone", async () => {
  const claim = (finalizers: readonly string[], spec: object) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "sets", finalizers },
    spec,
  });
  const wanted = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" };
  await tell(`${claims}/sets`, (body) => body.metadata.finalizers, [
    { by: "one", body: claim(["example.com/a", "example.com/b"], wanted), said: "201" },
    {
      by: "two",
      body: claim(["example.com/c"], {}),
      said: "200",
      left: ["example.com/a", "example.com/b", "kubernetes.io/pvc-protection", "example.com/c"],
    },
    {
      by: "one",
      body: claim(["example.com/b"], wanted),
      said: "200",
      left: ["example.com/b", "kubernetes.io/pvc-protection", "example.com/c"],
    },
  ]);
});

test("fields from before the first apply belong to before-first-apply", async () => {
  const node = (labels: Readonly<Record<string, string>>) => ({ apiVersion: "v1", kind: "Node", metadata: { name: "old", labels } });
  await file.admin.post(nodes, node({ zone: "a" }));
  await file.admin.merge(`${nodes}/old`, { metadata: { managedFields: [{}] } });
  await tell(`${nodes}/old`, (body) => body.metadata.labels, [
    {
      by: "one",
      body: node({ zone: "b" }),
      said: '409 Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .metadata.labels.zone',
    },
    { by: "one", body: node({ zone: "a", rack: "1" }), said: "200", left: { zone: "a", rack: "1" } },
    { by: "one", body: node({}), said: "200", left: { zone: "a" } },
  ]);
});

test("objects of custom kinds, and their status, are applied by their definition's schema", async () => {
  await file.admin.post(definitions, {
    metadata: { name: "gauges.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "gauges", kind: "Gauge" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    marks: {
                      type: "array",
                      "x-kubernetes-list-type": "map",
                      "x-kubernetes-list-map-keys": ["at"],
                      items: { type: "object", required: ["at"], properties: { at: { type: "integer" }, text: { type: "string" } } },
                    },
                    colours: { type: "array", items: { type: "string" } },
                  },
                },
                status: { type: "object", properties: { value: { type: "integer" } } },
              },
            },
          },
        },
      ],
    },
  });
  await untilServed(file.admin, gauges);
  const gauge = (members: object) => ({ apiVersion: "example.com/v1", kind: "Gauge", metadata: { name: "g" }, ...members });
  await tell(`${gauges}/g`, (body) => body.spec, [
    { by: "one", body: gauge({ spec: { marks: [{ at: 1, text: "low" }], colours: ["red"] } }), said: "201" },
    {
      by: "two",
      body: gauge({ spec: { marks: [{ at: 9, text: "high" }] } }),
      said: "200",
      left: {
        marks: [
          { at: 1, text: "low" },
          { at: 9, text: "high" },
        ],
        colours: ["red"],
      },
    },
    {
      by: "two",
      body: gauge({ spec: { colours: ["blue"] } }),
      said: '409 Apply failed with 1 conflict: conflict with "one": .spec.colours',
    },
    { by: "one", body: gauge({ spec: {} }), said: "200", left: { marks: [{ at: 9, text: "high" }] } },
  ]);
  const status = await apply(`${gauges}/g/status`, { by: "meter", body: gauge({ status: { value: 7 } }), said: "200" });
  expect([status.code, status.body.status, ownersIn(status)["meter Apply status"]]).toEqual([
    200,
    { value: 7 },
    { "f:status": { "f:value": {} } },
  ]);
});

const refused: readonly [what: string, path: string, body: unknown, said: string][] = [
  [
    "nobody's",
    `${maps}/x`,
    map("x"),
    '422 PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  ],
  ["another's name", `${maps}/x?fieldManager=m`, map("y"), "400 the name of the object (y) does not match the name on the URL (x)"],
  [
    "fields that nobody knows",
    `${maps}/x?fieldManager=m`,
    { ...map("x"), foo: 1 },
    "500 failed to create typed patch object (/x; /v1, Kind=ConfigMap): .foo: field not declared in schema",
  ],
];
test.each([...refused])("an apply is refused: %s", async (_, path, body, said) => {
  const answer = await file.admin.request("PATCH", path, body, "application/apply-patch+yaml");
  expect(`${answer.code} ${answer.body.message}`).toBe(said);
});
