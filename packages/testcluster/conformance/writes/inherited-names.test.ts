import { expect, test } from "bun:test";
import { withInheritedNames } from "@csi-sidecars/base/testing";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { attachment, attachments, classes, configMap, maps, storageClass } from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const [one, two] = [withInheritedNames("1"), withInheritedNames("2")];
/** `{ __proto__: value }` in the source would set the prototype. */
const proto = (value: unknown) => ({ ["__proto__"]: value });
const path = (name: string) => `/data/${name}`;

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "created",
    [
      [`POST ${maps}`, configMap("created", one), "201", { data: one }],
      [`GET ${maps}/created`, undefined, "200", { data: one }],
    ],
  ],
  [
    "replaced",
    [
      [`POST ${maps}`, configMap("put"), "201"],
      [`PUT ${maps}/put`, configMap("put", two), "200", { data: two }],
    ],
  ],
  [
    "merged",
    [
      [`POST ${maps}`, configMap("merge", { a: "1" }), "201"],
      [`MERGE ${maps}/merge`, { data: one }, "200", { data: { a: "1", ...one } }],
      [`MERGE ${maps}/merge`, { data: two }, "200", { data: { a: "1", ...two } }],
      [`MERGE ${maps}/merge`, { data: withInheritedNames(null) }, "200", { data: { a: "1" } }],
    ],
  ],
  [
    "merged strategically",
    [
      [`POST ${maps}`, configMap("strategic", { a: "1" }), "201"],
      [`STRATEGIC ${maps}/strategic`, { data: one }, "200", { data: { a: "1", ...one } }],
      [`STRATEGIC ${maps}/strategic`, { data: two }, "200", { data: { a: "1", ...two } }],
      [`STRATEGIC ${maps}/strategic`, { data: withInheritedNames(null) }, "200", { data: { a: "1" } }],
      [`STRATEGIC ${maps}/strategic`, { data: { $patch: "replace", ...one } }, "200", { data: one }],
    ],
  ],
  [
    "patched one by one",
    [
      [`POST ${maps}`, configMap("json", { a: "1" }), "201"],
      [
        `JSON ${maps}/json`,
        Object.keys(one).map((name) => ({ op: "add", path: path(name), value: "1" })),
        "200",
        { data: { a: "1", ...one } },
      ],
      [
        `JSON ${maps}/json`,
        Object.keys(one).flatMap((name) => [
          { op: "test", path: path(name), value: "1" },
          { op: "remove", path: path(name) },
        ]),
        "200",
        { data: { a: "1" } },
      ],
      [
        `JSON ${maps}/json`,
        [{ op: "remove", path: path("constructor") }],
        "422 Invalid: the server rejected our request due to an error in our request",
      ],
    ],
  ],
  ["parameters of a class", [[`POST ${classes}`, storageClass("inherited", { parameters: one }), "201", { parameters: one }]]],
  [
    "metadata of an attachment",
    [
      [`POST ${attachments}`, attachment("inherited"), "201"],
      [
        `MERGE ${attachments}/inherited/status`,
        { status: { attached: true, attachmentMetadata: one } },
        "200",
        { status: { attached: true, attachmentMetadata: one } },
      ],
    ],
  ],
];

test.each([...scenarios])("keys that every JavaScript object inherits are keys like any other: %s", (_what, steps) =>
  follow(file.admin, steps),
);

test.each(["MERGE", "STRATEGIC"])("a member __proto__ is an unknown one to %s: it changes nothing, here or elsewhere", async (verb) => {
  const name = `unknown-${verb.toLowerCase()}`;
  const patch = { ...proto({ polluted: "yes" }), metadata: { labels: { app: "x" }, ...proto({ polluted: "yes" }) } };
  try {
    await follow(file.admin, [
      [`POST ${maps}`, configMap(name, { a: "1" }), "201"],
      [`${verb} ${maps}/${name}`, patch, "200", { data: { a: "1" }, "metadata.labels": { app: "x" }, polluted: undefined }],
    ]);
    expect({}).not.toHaveProperty("polluted");
  } finally {
    Reflect.deleteProperty(Object.prototype, "polluted");
  }
});

test("only objects that have the label constructor are selected by it", async () => {
  const selectedBy = async (selector: string) => {
    const { body } = await file.admin.get(`${maps}?labelSelector=${encodeURIComponent(selector)}`);
    const names: readonly string[] = body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    return names.filter((name) => name.startsWith("labels-"));
  };
  await file.admin.post(maps, configMap("labels-with", {}, { labels: { constructor: "x", app: "y" } }));
  await file.admin.post(maps, configMap("labels-without", {}, { labels: { app: "y" } }));
  expect(await selectedBy("constructor")).toEqual(["labels-with"]);
  expect(await selectedBy("!constructor")).toEqual(["labels-without"]);
  expect(await selectedBy("constructor notin (z)")).toEqual(["labels-with", "labels-without"]);
  expect(await selectedBy("toString")).toEqual([]);
});

test("a field selector names no inherited field", async () => {
  const { code, body } = await file.admin.get(`${maps}?fieldSelector=${encodeURIComponent("constructor=x")}`);
  expect(code).toBe(400);
  expect(body.message).toContain('"constructor" is not a known field selector: only "metadata.name", "metadata.namespace"');
});
