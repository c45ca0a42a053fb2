import { expect, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster, untilServed } from "../testing/file-cluster.ts";
import { claim, claims, classes, configMap, definitions, maps, pods, volume, volumes } from "../testing/fixtures.ts";
import { memberAt, send } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());

/** One write that is answered, the warnings that come with it, and what is kept of the members it names. */
type Write = readonly [what: string, request: string, body: unknown, warnings: readonly string[], kept: Readonly<Record<string, unknown>>];

const strange = volume("strange", { csi: { driver: "d", volumeHandle: "h", bar: 1 }, zap: { x: 1 } }, { foo: 1, labels: { a: "b" } });
const crdFaults = ["unknown field spec.versions[0].foo", "unknown field spec.versions[0].schema.openAPIV3Schema.baz"];

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gears.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "gears", kind: "Gear" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        foo: 1,
        schema: {
          openAPIV3Schema: {
            type: "object",
            baz: 1,
            properties: {
              spec: {
                type: "object",
                properties: {
                  teeth: { type: "integer" },
                  wheels: { type: "array", items: { type: "object", properties: { name: { type: "string" } } } },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const gears = "/apis/example.com/v1/namespaces/default/gears";
const gear = {
  apiVersion: "example.com/v1",
  kind: "Gear",
  metadata: { name: "g", foo: 1 },
  spec: { teeth: 3, zip: 1, wheels: [{ name: "a", b: 1 }], free: { x: 1 } },
  more: 1,
};

const writes: readonly Write[] = [
  [
    "unknown fields are dropped and told in the order of the body",
    `POST ${volumes}`,
    { ...strange, status: { nope: 1 }, top: true },
    [
      "unknown field metadata.foo",
      "unknown field spec.csi.bar",
      "unknown field spec.zap",
      "unknown field status.nope",
      "unknown field top",
    ],
    { "spec.csi": { driver: "d", volumeHandle: "h" }, "spec.zap": undefined, "metadata.foo": undefined, top: undefined },
  ],
  ["no warning with fieldValidation=Ignore", `PUT ${volumes}/strange?fieldValidation=Ignore`, strange, [], { "spec.zap": undefined }],
  [
    "a replacement is looked at too",
    `PUT ${volumes}/strange?fieldValidation=Warn`,
    { ...strange, top: 1 },
    ["unknown field metadata.foo", "unknown field spec.csi.bar", "unknown field spec.zap", "unknown field top"],
    { top: undefined },
  ],
  ...["MERGE", "STRATEGIC"].map(
    (language): Write => [
      `what a ${language} patch adds is dropped, told in the order of the names`,
      `${language} ${volumes}/strange`,
      { zip: 1, spec: { foo: 1, csi: { bar: 2 } } },
      ["unknown field spec.csi.bar", "unknown field spec.foo", "unknown field zip"],
      { "spec.foo": undefined, "spec.csi.bar": undefined, zip: undefined },
    ],
  ),
  [
    "a JSON patch may itself have too much",
    `JSON ${volumes}/strange`,
    [
      { op: "add", path: "/spec/foo", value: 1 },
      { op: "add", path: "/metadata/labels", value: { x: "y" }, foo: 3 },
    ],
    ["json patch unknown field [1].foo", "unknown field spec.foo"],
    { "spec.foo": undefined, "metadata.labels": { x: "y" } },
  ],
  [
    "the status is looked at as well",
    `MERGE ${volumes}/strange/status`,
    { status: { foo: 1 } },
    ["unknown field status.foo"],
    { "status.foo": undefined },
  ],
  [
    "members that are there twice",
    `POST ${maps}`,
    '{"metadata":{"name":"twice","name":"twice","labels":{"a":"1","a":"2"}},"foo":1,"foo":2,"data":{"k":"v\\":x","k":"w"}}',
    ["duplicate field metadata.name", "duplicate field metadata.labels.a", "unknown field foo", "duplicate field data.k"],
    { data: { k: "w" }, "metadata.labels": { a: "2" } },
  ],
  [
    "members that a patch has twice",
    `MERGE ${maps}/twice`,
    '{"foo":1,"foo":2,"data":{"k":"v","k":"x"}}',
    ["duplicate field foo", "duplicate field data.k", "unknown field foo"],
    { data: { k: "x" } },
  ],
  ["text that looks like members is text", `POST ${maps}`, configMap("text", { k: '{"a":1,"a":2}' }), [], { data: { k: '{"a":1,"a":2}' } }],
  [
    "a definition loses what no schema has",
    `POST ${definitions}`,
    definition,
    crdFaults,
    { "spec.versions.0.foo": undefined, "spec.versions.0.schema.openAPIV3Schema.baz": undefined },
  ],
];

test.each([...writes])("%s", async (_, request, body, warnings, kept) => {
  await expectWarnings(request, body, warnings, kept);
});

async function expectWarnings(request: string, body: unknown, warnings: readonly string[], kept: Readonly<Record<string, unknown>>) {
  const answer = await send(file.admin, request, body);
  expect(answer.code).toBeLessThan(300);
  const told = [...(answer.headers.get("warning") ?? "").matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, text = '""']) => JSON.parse(text));
  expect(told.map((text: string) => text.replaceAll('"', ""))).toEqual([...warnings]);
  for (const [path, value] of Object.entries(kept)) expect([path, memberAt(answer.body, path)]).toEqual([path, value]);
}

test("an object of a custom kind keeps what its definition knows", async () => {
  await untilServed(file.admin, gears);
  const unknown = ["metadata.foo", "more", "spec.wheels[0].b", "spec.zip"].map((path) => `unknown field ${path}`);
  await expectWarnings(`POST ${gears}`, gear, unknown, {
    spec: { teeth: 3, wheels: [{ name: "a" }], free: { x: 1 } },
    more: undefined,
    "metadata.foo": undefined,
  });
  await expectWarnings(`MERGE ${gears}/g`, { spec: { zap: 1 } }, ["unknown field spec.zap"], { "spec.zap": undefined });
  const strict = await send(file.admin, `POST ${gears}?fieldValidation=Strict`, gear);
  expect([strict.code, strict.body.message]).toEqual([
    400,
    `Gear in version "v1" cannot be handled as a Gear: strict decoding error: ${unknown.map((text) => text.replace(/ (\S+)$/, ' "$1"')).join(", ")}`,
  ]);
});

const refused: readonly [request: string, body: unknown, code: number, message: RegExp][] = [
  [
    `POST ${claims}?fieldValidation=Strict`,
    claim("c", { storageClass: "fast" }),
    400,
    /^PersistentVolumeClaim in version "v1" cannot be handled as a PersistentVolumeClaim: strict decoding error: unknown field "spec.storageClass"$/,
  ],
  [
    `POST ${pods}?fieldValidation=Strict`,
    {
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i", foo: 1, volumeMounts: [{ name: "v", mountPath: "/", y: 1 }] }] },
    },
    400,
    /: strict decoding error: unknown field "spec.containers\[0\].foo", unknown field "spec.containers\[0\].volumeMounts\[0\].y"$/,
  ],
  [
    `POST ${maps}?fieldValidation=Strict`,
    '{"metadata":{"name":"a"},"data":{"k":"v","k":"w"}}',
    400,
    /: strict decoding error: duplicate field "data.k"$/,
  ],
  [
    `MERGE ${volumes}/strange?fieldValidation=Strict`,
    { spec: { foo: 1 } },
    422,
    /^ "" is invalid: patch: Invalid value: .*: strict decoding error: unknown field "spec.foo"$/,
  ],
  [
    `POST ${classes}?fieldValidation=Loud`,
    {},
    422,
    /^CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Loud": supported values: "", "Ignore", "Strict", "Warn"$/,
  ],
  [
    `MERGE ${volumes}/strange?fieldValidation=Loud`,
    {},
    422,
    /^PatchOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Loud"/,
  ],
];
test.each([...refused])("strictly, %s is refused", async (request, body, code, message) => {
  const answer = await send(file.admin, request, body);
  expect(answer.body.message).toMatch(message);
  expect(answer.code).toBe(code);
});
