import { beforeAll, expect, test } from "bun:test";
import { populatorDefinitions } from "@csi-sidecars/crds";
import { installDefinitions } from "../../cluster/install-definitions.ts";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
beforeAll(() => installDefinitions(file.cluster.admin, populatorDefinitions), 30_000);

const path = "/apis/populator.storage.k8s.io/v1beta1/volumepopulators";
const populator = (name: string, members: object) => ({
  apiVersion: "populator.storage.k8s.io/v1beta1",
  kind: "VolumePopulator",
  metadata: { name },
  ...members,
});
const sourceKind = { group: "library.example.com", kind: "Book" };
const invalid = (name: string) => `422 Invalid: VolumePopulator.populator.storage.k8s.io "${name}" is invalid: `;

test.each<[what: string, name: string, members: object, said: string, seen: Step[3]]>([
  ["a group and a kind", "fine", { sourceKind }, "201", { sourceKind }],
  ["the core group", "core", { sourceKind: { ...sourceKind, group: "" } }, "201", { sourceKind: { group: "", kind: "Book" } }],
  ["nothing", "none", {}, `${invalid("none")}sourceKind: Required value`, {}],
  ["no group", "no-group", { sourceKind: { kind: "Book" } }, `${invalid("no-group")}sourceKind.group: Required value`, {}],
  ["no kind", "no-kind", { sourceKind: { group: "g" } }, `${invalid("no-kind")}sourceKind.kind: Required value`, {}],
  [
    "a number",
    "number",
    { sourceKind: { ...sourceKind, group: 5 } },
    `${invalid("number")}sourceKind.group: Invalid value: "integer": sourceKind.group in body must be of type string: "integer"`,
    {},
  ],
  [
    "a text",
    "text",
    { sourceKind: "Book" },
    `${invalid("text")}sourceKind: Invalid value: "string": sourceKind in body must be of type object: "string"`,
    {},
  ],
  [
    "fields that it has not",
    "more",
    { sourceKind: { ...sourceKind, version: "v1" }, spec: {}, status: {} },
    "201",
    { sourceKind, spec: undefined, status: undefined },
  ],
])("a populator with %s", async (_what, name, members, said, seen) => {
  await follow(file.admin, [[`POST ${path}`, populator(name, members), said, seen]]);
});

test("it can be changed, has no status of its own, and is in no namespace", async () => {
  await follow(file.admin, [
    [`POST ${path}`, populator("one", { sourceKind }), "201"],
    [`MERGE ${path}/one`, { sourceKind: { kind: "Journal" } }, "200", { sourceKind: { ...sourceKind, kind: "Journal" } }],
    [`MERGE ${path}/one/status`, { status: {} }, "404 NotFound"],
    [`GET ${path.replace("volumepopulators", "namespaces/default/volumepopulators")}/one`, undefined, "404 404 page not found"],
    ["GET /api/v1/namespaces/default/persistentvolumes", undefined, "404 NotFound: the server could not find the requested resource"],
  ]);
});

test("kubectl get shows the kind that it serves, and no age", async () => {
  await file.admin.post(path, populator("shown", { sourceKind }));
  const { body } = await file.admin.accepting("application/json;as=Table;v=v1;g=meta.k8s.io").get(`${path}/shown`);
  const columns: readonly { readonly name: string; readonly type: string }[] = body.columnDefinitions;
  expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual(["Name string", "SourceKind string"]);
  expect(body.rows[0].cells).toEqual(["shown", '{"group":"library.example.com","kind":"Book"}']);
});
