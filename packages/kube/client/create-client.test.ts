import { describe, expect, test } from "bun:test";
import { metadataOnly } from "../resource.ts";
import { Event, Lease, PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "../resources.ts";
import type { TransportError } from "../transport/transport.ts";
import type { Client } from "./client.ts";
import { jsonPatch, mergePatch, strategicMergePatch } from "./patch.ts";
import { InvalidRequestError } from "./request-url.ts";
import { isConflict, isNotFound } from "./status-error.ts";
import { clientWorld } from "./testing/client-world.ts";
import { json } from "./testing/scripted-server.ts";

const pv = { name: "pv-1" };
const claim = { name: "data", namespace: "default" };
const spec = { attacher: "a", nodeName: "n", source: {} };
/** An answer to whatever was asked. */
const anything = { metadata: {}, items: [] };

describe("requests", () => {
  const cases: [what: string, call: (client: Client) => Promise<unknown>, line: string, contentType?: string, body?: unknown][] = [
    ["get", (c) => c.get(PersistentVolume, pv), "GET /api/v1/persistentvolumes/pv-1"],
    ["get, namespaced", (c) => c.get(PersistentVolumeClaim, claim), "GET /api/v1/namespaces/default/persistentvolumeclaims/data"],
    ["list", (c) => c.list(PersistentVolume), "GET /api/v1/persistentvolumes"],
    [
      "list with everything",
      (c) =>
        c.list(PersistentVolumeClaim, {
          namespace: "ns",
          limit: 500,
          continue: "a b",
          resourceVersion: "0",
          resourceVersionMatch: "NotOlderThan",
          labelSelector: "a in (b,c)",
          fieldSelector: "spec.nodeName=x",
        }),
      "GET /api/v1/namespaces/ns/persistentvolumeclaims?continue=a%20b&fieldSelector=spec.nodeName%3Dx&labelSelector=a%20in%20(b%2Cc)&limit=500&resourceVersion=0&resourceVersionMatch=NotOlderThan",
    ],
    ["an empty resourceVersion is none", (c) => c.list(PersistentVolume, { resourceVersion: "" }), "GET /api/v1/persistentvolumes"],
    [
      "create names the kind",
      (c) => c.create(VolumeAttachment, { metadata: { name: "a" }, spec }),
      "POST /apis/storage.k8s.io/v1/volumeattachments",
      "application/json",
      { metadata: { name: "a" }, spec, apiVersion: "storage.k8s.io/v1", kind: "VolumeAttachment" },
    ],
    [
      "create, dry run",
      (c) => c.create(Lease, { metadata: { generateName: "l-", namespace: "ns" } }, { dryRun: true }),
      "POST /apis/coordination.k8s.io/v1/namespaces/ns/leases?dryRun=All",
      "application/json",
      { metadata: { generateName: "l-", namespace: "ns" }, apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
    ],
    [
      "update",
      (c) => c.update(Lease, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l", namespace: "ns" } }),
      "PUT /apis/coordination.k8s.io/v1/namespaces/ns/leases/l",
      "application/json",
      { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l", namespace: "ns" } },
    ],
    [
      "update of status",
      (c) => c.update(VolumeAttachment, { metadata: { name: "a" }, spec }, { subresource: "status", dryRun: true }),
      "PUT /apis/storage.k8s.io/v1/volumeattachments/a/status?dryRun=All",
      "application/json",
      { metadata: { name: "a" }, spec, apiVersion: "storage.k8s.io/v1", kind: "VolumeAttachment" },
    ],
    [
      "merge patch of status",
      (c) => c.patch(VolumeAttachment, { name: "a" }, mergePatch({ status: { attached: true } }), { subresource: "status" }),
      "PATCH /apis/storage.k8s.io/v1/volumeattachments/a/status",
      "application/merge-patch+json",
      { status: { attached: true } },
    ],
    [
      "strategic merge patch",
      (c) => c.patch(Event, { name: "e", namespace: "ns" }, strategicMergePatch({ count: 2 })),
      "PATCH /api/v1/namespaces/ns/events/e",
      "application/strategic-merge-patch+json",
      { count: 2 },
    ],
    [
      "JSON patch",
      (c) => c.patch(PersistentVolume, pv, jsonPatch([{ op: "remove", path: "/metadata/finalizers/0" }]), { dryRun: true }),
      "PATCH /api/v1/persistentvolumes/pv-1?dryRun=All",
      "application/json-patch+json",
      [{ op: "remove", path: "/metadata/finalizers/0" }],
    ],
    ["delete", (c) => c.delete(PersistentVolume, pv), "DELETE /api/v1/persistentvolumes/pv-1"],
    [
      "delete with options",
      (c) =>
        c.delete(PersistentVolumeClaim, claim, {
          preconditions: { uid: "u", resourceVersion: "7" },
          propagationPolicy: "Foreground",
          gracePeriodSeconds: 0,
        }),
      "DELETE /api/v1/namespaces/default/persistentvolumeclaims/data",
      "application/json",
      {
        apiVersion: "v1",
        kind: "DeleteOptions",
        preconditions: { uid: "u", resourceVersion: "7" },
        propagationPolicy: "Foreground",
        gracePeriodSeconds: 0,
      },
    ],
    ["raw", (c) => c.raw("POST", "/x?y=z", { a: 1 }), "POST /x?y=z", "application/json", { a: 1 }],
  ];
  test.each(cases.map(([what, ...rest]) => [what, rest] as const))("%s", async (_what, [call, line, contentType, body]) => {
    await using world = await clientWorld((_request, response) => json(response, anything), { userAgent: "csi-sidecars/test" });
    await call(world.client);
    expect(world.requests).toHaveLength(1);
    const request = world.requests[0]!;
    expect(`${request.method} ${request.url}`).toBe(line);
    expect(request.headers.accept).toBe("application/json");
    expect(request.headers["user-agent"]).toBe("csi-sidecars/test");
    if (contentType) expect(request.headers["content-type"]).toBe(contentType);
    expect(request.body === "" ? undefined : JSON.parse(request.body)).toEqual(body);
  });
});

describe("of a kind that is read for its metadata", () => {
  const kind = metadataOnly(PersistentVolume);
  const accept = (form: string) => `application/json;as=${form};g=meta.k8s.io;v=v1,application/json`;
  const cases: [what: string, call: (client: Client) => Promise<unknown>, accept: string][] = [
    ["get", (c) => c.get(kind, pv), accept("PartialObjectMetadata")],
    ["list", (c) => c.list(kind, { limit: 500 }), accept("PartialObjectMetadataList")],
    ["watch", (c) => c.watch(kind, { sendInitialEvents: true }), accept("PartialObjectMetadata")],
    ["a write is answered whole", (c) => c.patch(kind, pv, mergePatch({ metadata: { labels: { a: "b" } } })), "application/json"],
  ];
  test.each(cases)("%s", async (_what, call, asked) => {
    await using world = await clientWorld((_request, response) => json(response, anything), { userAgent: "csi-sidecars/test" });
    await call(world.client);
    expect(world.requests.map(({ headers }) => [headers.accept, headers["user-agent"]])).toEqual([[asked, "csi-sidecars/test"]]);
  });
});

test("answers are given back as the server sent them, unknown fields and all", async () => {
  const object = { metadata: { name: "pv-1", resourceVersion: "9007199254740993" }, spec: { newField: [1, { deep: true }] } };
  await using world = await clientWorld((_request, response) => json(response, object));
  expect((await world.client.get(PersistentVolume, pv)) as unknown).toEqual(object);
});

test("a list without items is an empty list", async () => {
  await using world = await clientWorld((_request, response) => json(response, { metadata: { resourceVersion: "5" }, items: null }));
  expect(await world.client.list(PersistentVolume)).toEqual({ metadata: { resourceVersion: "5" }, items: [] });
});

describe("an answer of something other than an API server is no cluster without objects", () => {
  test.each<[string, string]>([
    ["nothing", "{}"],
    ["the health of a proxy", '{"status":"ok"}'],
    ["a Status", '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":500}'],
    ["items that are no list", '{"metadata":{"resourceVersion":"5"},"items":{}}'],
    ["metadata that are none", '{"metadata":"5"}'],
  ])("%s is not a list", async (_, body) => {
    await using world = await clientWorld((_request, response) => response.end(body));
    await expect(world.client.list(PersistentVolume)).rejects.toThrow(
      "the answer for /api/v1/persistentvolumes is not a list: is something other than an API server at this address?",
    );
  });

  test.each(["null", "[]", '"ok"', "1"])("%s is not an object", async (body) => {
    await using world = await clientWorld((_request, response) => response.end(body));
    const { client } = world;
    const asking = [() => client.list(PersistentVolume), () => client.get(PersistentVolume, pv), () => client.create(PersistentVolume, {})];
    for (const ask of asking)
      await expect(ask()).rejects.toThrow("is not a JSON object: is something other than an API server at this address?");
  });
});

test.each<[string, (client: Client) => Promise<unknown>]>([
  ["get without name", (c) => c.get(PersistentVolume, { name: "" })],
  ["get without namespace", (c) => c.get(Lease, { name: "l" })],
  ["create without namespace", (c) => c.create(Lease, { metadata: { name: "l" } })],
  ["update without name", (c) => c.update(PersistentVolume, { metadata: {} })],
  ["delete without namespace", (c) => c.delete(Lease, { name: "l" })],
])("nothing is sent for a %s", async (_what, call) => {
  await using world = await clientWorld((_request, response) => json(response, {}));
  await expect(call(world.client)).rejects.toBeInstanceOf(InvalidRequestError);
  expect(world.requests).toEqual([]);
});

test("the server's refusal becomes an error with its words", async () => {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404, message: 'pv "pv-1" not found' };
  await using world = await clientWorld((_request, response) => json(response, status, 404));
  const error = await world.client.get(PersistentVolume, pv).catch((e) => e);
  expect(isNotFound(error)).toBe(true);
  expect(error.message).toBe('pv "pv-1" not found');
});

test("a refusal in HTML becomes a Status too", async () => {
  await using world = await clientWorld((_request, response) =>
    response.writeHead(409, { "content-type": "text/html" }).end("<h1>no</h1>"),
  );
  const error = await world.client.update(VolumeAttachment, { metadata: { name: "a" }, spec }).catch((e) => e);
  expect(isConflict(error)).toBe(true);
  expect(error.message).toBe("the server reported a conflict (put volumeattachments.storage.k8s.io a)");
});

test("an answer that is not JSON is an error that says where", async () => {
  await using world = await clientWorld((_request, response) => response.end("<html>"));
  await expect(world.client.raw("GET", "/version")).rejects.toThrow("the answer for /version is not JSON");
});

test("warnings of the server are logged, once", async () => {
  await using world = await clientWorld((_request, response) => json(response, {}, 200, { warning: '299 - "x is deprecated"' }));
  await world.client.get(PersistentVolume, pv);
  await world.client.get(PersistentVolume, pv);
  expect(world.log.lines.map((line) => line.message)).toEqual(["Warning: x is deprecated"]);
});

test("aborting the signal ends the request", async () => {
  const stop = new AbortController();
  await using world = await clientWorld(() => stop.abort());
  const error: TransportError = await world.client.get(PersistentVolume, pv, { signal: stop.signal }).catch((e) => e);
  expect(error.kind).toBe("aborted");
});

test("the timeout of one attempt is passed to the transport", async () => {
  const limits: (number | undefined)[] = [];
  await using world = await clientWorld(() => {}, {
    transport: {
      async request({ timeoutMs }) {
        limits.push(timeoutMs);
        return { status: 200, header: () => undefined, text: async () => "{}", async *chunks() {} };
      },
      close() {},
    },
  });
  await world.client.get(PersistentVolume, pv);
  await world.client.get(PersistentVolume, pv, { timeoutMs: 5000 });
  await world.client.get(PersistentVolume, pv, { timeoutMs: 5000, deadline: world.clock.monotonic() + 300 });
  expect(limits).toEqual([60_000, 5000, 300]);
  await expect(world.client.get(PersistentVolume, pv, { deadline: world.clock.monotonic() })).rejects.toThrow("context deadline exceeded");
});
