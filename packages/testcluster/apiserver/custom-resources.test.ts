import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { type Wire, wire } from "./testing/wire.ts";

let server: ApiServer;
let admin: Wire;
beforeAll(async () => {
  server = await startApiServer();
  admin = wire(server, { token: server.adminToken });
});
afterAll(() => server[Symbol.asyncDispose]());

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const properties = {
  spec: {
    type: "object",
    required: ["size"],
    properties: { size: { type: "integer", minimum: 1 }, colour: { type: "string", default: "red" } },
  },
  status: { type: "object", properties: { ready: { type: "boolean" } } },
};
const schema = { openAPIV3Schema: { type: "object", properties } };
const version = (name: string, storage: boolean, deprecated = false) => ({
  name,
  served: true,
  storage,
  deprecated,
  schema,
  subresources: { status: {} },
});
const widgets = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget", shortNames: ["wd"] },
    versions: [version("v1", true), version("v1beta1", false, true)],
  },
};
const path = (name = "", apiVersion = "v1") => `/apis/example.com/${apiVersion}/namespaces/default/widgets${name && `/${name}`}`;

test("a definition is served as soon as it is there, and until it goes", async () => {
  expect((await admin.get(path())).code).toBe(404);
  const created = (await admin.post(definitions, widgets)).body;
  expect(created.spec.names).toMatchObject({ singular: "widget", listKind: "WidgetList" });
  expect(created.status.storedVersions).toEqual(["v1"]);

  const { status } = (await admin.get(`${definitions}/widgets.example.com`)).body;
  expect(status.conditions.map(({ type, status }: { type: string; status: string }) => `${type}=${status}`)).toEqual([
    "NamesAccepted=True",
    "Established=True",
  ]);
  const group = (await admin.get("/apis/example.com")).body;
  expect(group.versions.map(({ version }: { version: string }) => version)).toEqual(["v1", "v1beta1"]);

  const widget = await admin.post(path(), {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "a" },
    spec: { size: 1, unknown: 1 },
    status: { ready: true },
  });
  expect(widget.body).toMatchObject({ metadata: { generation: 1 }, spec: { size: 1, colour: "red" } });
  expect([widget.body.spec.unknown, widget.body.status]).toEqual([undefined, undefined]);
  expect(
    (await admin.post(path(), { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "b" }, spec: { size: 0 } })).code,
  ).toBe(422);

  expect((await admin.post(path(), { metadata: { name: "b" }, spec: { size: 1 } })).body.message).toContain("Object 'Kind' is missing");

  const ready = (await admin.merge(`${path("a")}/status`, { status: { ready: true }, metadata: { labels: { a: "b" } } })).body;
  expect([ready.status, ready.metadata.labels, ready.metadata.generation]).toEqual([{ ready: true }, undefined, 1]);
  expect((await admin.merge(path("a"), { spec: { size: 2 } })).body).toMatchObject({
    metadata: { generation: 2 },
    status: { ready: true },
  });
  expect(
    (await admin.put(path("a"), { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, spec: { size: 3 } })).code,
  ).toBe(422);
  expect((await admin.request("PATCH", path("a"), {}, "application/strategic-merge-patch+json")).code).toBe(415);

  const beta = await admin.get(path("a", "v1beta1"));
  expect(beta.body.apiVersion).toBe("example.com/v1beta1");
  expect(beta.headers.get("warning")).toBe('299 - "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"');
  expect((await admin.get(path())).body).toMatchObject({ kind: "WidgetList", items: [{ kind: "Widget", apiVersion: "example.com/v1" }] });

  await using stream = await admin.watch(`${path()}?watch=1`);
  await admin.delete(`${definitions}/widgets.example.com`);
  expect((await stream.rest()).map(({ type }) => type)).toEqual(["ADDED", "DELETED"]);
  expect((await admin.get(path())).code).toBe(404);
});

test.each([
  ["a name that is not its plural and group", { ...widgets, metadata: { name: "other" } }, 'must be spec.names.plural+"."+spec.group'],
  [
    "no storage version",
    { ...widgets, spec: { ...widgets.spec, versions: [version("v1", false)] } },
    "exactly one version marked as storage version",
  ],
])("refuses a definition with %s", async (_, definition, message) => {
  const { code, body } = await admin.post(definitions, definition);
  expect(code).toBe(422);
  expect(body.message).toContain(message);
});
