import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect } from "node:tls";
import { FakeClock } from "@csi-sidecars/base/testing";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { type Wire, wire } from "./testing/wire.ts";

let clock: FakeClock;
let server: ApiServer;
let admin: Wire;
beforeEach(async () => {
  clock = new FakeClock();
  server = await startApiServer({ clock });
  admin = wire(server, { token: server.adminToken });
});
afterEach(() => server[Symbol.asyncDispose]());

const maps = "/api/v1/namespaces/default/configmaps";
const map = { metadata: { name: "a" } };

/** All that arrives until the connection ends; clients of higher levels throw away what came just before a break. */
function receivedBytes(path: string, before = "", headers = ""): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port: server.port, ca: server.caPem });
  socket.write(`${before}GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminToken}\r\n${headers}\r\n`);
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes;
  });
  return new Promise((resolve) => socket.on("close", () => resolve(text)));
}

describe("a fault", () => {
  test("refuses so many requests, without doing them", async () => {
    const fault = server.faults.add({ match: { verb: "create", resource: "configmaps" }, action: { do: "refuse" }, times: 1 });
    await expect(admin.post(maps, map)).rejects.toThrow();
    await admin.get(maps);
    expect((await admin.get(`${maps}/a`)).code).toBe(404);
    expect((await admin.post(maps, map)).code).toBe(201);
    expect(fault.hits).toBe(1);
  });

  test("answers with a status, and says when to come again", async () => {
    server.faults.add({ match: { resource: "configmaps" }, action: { do: "status", code: 429, retryAfterSeconds: 7 }, times: 1 });
    const { code, body, headers } = await admin.post(maps, map);
    expect([code, body.reason, body.details.retryAfterSeconds, headers.get("retry-after")]).toEqual([429, "TooManyRequests", 7, "7"]);
    const lasting = server.faults.add({ match: {}, action: { do: "status", code: 503 } });
    expect((await admin.get(maps)).body).toMatchObject({ code: 503, reason: "ServiceUnavailable" });
    lasting.remove();
    expect((await admin.get(maps)).body.items).toEqual([]);
  });

  test("loses the answer to what was done", async () => {
    server.faults.add({ match: { verb: "create", name: "" }, action: { do: "dropResponse" }, times: 1 });
    await expect(admin.post(maps, map)).rejects.toThrow();
    while ((await admin.get(`${maps}/a`)).code !== 200);
    expect((await admin.post(maps, map)).code).toBe(409);
    expect(server.requests.find({ verb: "create" }).map(({ code }) => code)).toEqual([0, 409]);
  });

  test("delays on the server's clock", async () => {
    server.faults.add({ match: { verb: "create" }, action: { do: "delay", ms: 5_000 } });
    let done = false;
    const created = admin.post(maps, map).then(() => {
      done = true;
    });
    while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(4_999);
    expect(done).toBe(false);
    await clock.advance(1);
    await created;
  });

  test("that delays one request delays those behind it on the same connection", async () => {
    server.faults.add({ match: { verb: "create" }, action: { do: "delay", ms: 5_000 }, times: 1 });
    const body = JSON.stringify(map);
    const post = `POST ${maps} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.adminToken}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const received = receivedBytes(`${maps}/a`, post, "Connection: close\r\n");
    while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(server.requests.count()).toBe(1);
    await clock.advance(5_000);
    expect((await received).match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 201", "HTTP/1.1 200"]);
  });

  test.each([false, true])("cuts a watch after its events (in the middle of one: %p)", async (midEvent) => {
    server.faults.add({ match: { verb: "watch" }, action: { do: "cutWatch", afterEvents: 2, midEvent } });
    const received = receivedBytes(`${maps}?watch=1`);
    while (server.openWatches === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const name of ["a", "b", "c"]) await admin.post(maps, { metadata: { name } });
    const text = await received;
    expect([...text.matchAll(/"name":"(.)"/g)].map(([, name]) => name)).toEqual(["a", "b"]);
    expect(text.endsWith('"object":{"kind":\r\n')).toBe(midEvent);
    expect(text).not.toEndWith("0\r\n\r\n");
    while (server.openWatches > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test("meets only whom it is meant for", async () => {
    const bob = wire(server, { token: server.addUser("bob", ["system:masters"]) });
    server.faults.add({ match: { user: "bob", name: /^a/, subresource: "" }, action: { do: "status", code: 500 } });
    expect((await bob.get(`${maps}/abc`)).code).toBe(500);
    expect((await bob.get(`${maps}/xyz`)).code).toBe(404);
    expect((await admin.get(`${maps}/abc`)).code).toBe(404);
  });
});

test("every request is written down in order", async () => {
  const bob = wire(server, { token: server.addUser("bob") });
  await admin.post(maps, map);
  await bob.merge("/apis/storage.k8s.io/v1/volumeattachments/va/status", {});
  await using _stream = await admin.watch("/api/v1/nodes?watch=1&resourceVersion=0");
  expect(
    server.requests.find().map(({ user, verb, resource, subresource, name, code }) => [user, verb, resource, subresource, name, code]),
  ).toEqual([
    ["admin", "create", "configmaps", "", "", 201],
    ["bob", "patch", "volumeattachments", "status", "va", 403],
    ["admin", "watch", "nodes", "", "", 200],
  ]);
  expect(server.requests.find({ verb: "watch" })[0]).toMatchObject({ watch: true, query: "watch=1&resourceVersion=0" });
  expect(server.requests.count({ code: 403 })).toBe(1);
});
