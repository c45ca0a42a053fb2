import { describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { type HostileApiServerOptions, hostileApiServer, wellFormed } from "./testing/hostile-api-server.ts";
import type { PeerRequest } from "./testing/raw-http-peer.ts";

const echo = ({ method, path, connection }: PeerRequest) => connection.write(wellFormed(`${method} ${path}`));
const idleTimeout = wellFormed("idle for too long", "408 Request Timeout");

/** Where code runs when it sends a request. Bun polls its sockets at another distance from each. */
const places: readonly [string, () => Promise<void>][] = [
  ["a promise", () => Promise.resolve()],
  ["a timer", () => new Promise((resolve) => setTimeout(resolve, 1))],
  ["an immediate", () => new Promise((resolve) => setImmediate(resolve))],
  ["a callback of process.nextTick", () => new Promise((resolve) => process.nextTick(resolve))],
];

/** The event loop is busy; what the peer has written before is in the buffers of the operating system then. */
const stall = () => Bun.sleepSync(20);

describe.each<[string, HostileApiServerOptions]>([
  ["TCP", {}],
  ["TLS", { tls: true }],
  ["a proxy", { proxied: true }],
])("bytes that arrive on an idle connection while the loop is stalled (%s)", (_, way) => {
  test.each(places)("are not the response to the next request, sent from %s", async (_, enter) => {
    using server = hostileApiServer(echo, way);
    expect(await server.ask("/first")).toBe("200 GET /first");
    await enter();
    server.peer.connections[0]?.write(idleTimeout);
    stall();
    expect(await server.ask("/second")).toBe("200 GET /second");
    expect(await server.ask("/third")).toBe("200 GET /third");
    expect(server.peer.connections.map(({ open }) => open)).toEqual([false, true]);
  });

  test.each(["GET", "PUT", "POST", "PATCH", "DELETE"] as const)("cost a %s nothing: it was not sent there", async (method) => {
    using server = hostileApiServer(echo, way);
    await server.ask("/first");
    server.peer.connections[0]?.write(idleTimeout);
    stall();
    const body = method === "GET" ? {} : { body: "{}" };
    expect(await server.ask("/second", { method, ...body })).toBe(`200 ${method} /second`);
    expect(server.peer.requests).toEqual(["GET /first", `${method} /second`]);
  });

  test.each(["GET", "PUT", "POST", "PATCH", "DELETE"] as const)(
    "cost a %s nothing when they are the end of the connection",
    async (method) => {
      using server = hostileApiServer(echo, way);
      await server.ask("/first");
      server.peer.connections[0]?.end();
      stall();
      expect(await server.ask("/second", { method })).toBe(`200 ${method} /second`);
      expect(server.peer.requests).toEqual(["GET /first", `${method} /second`]);
    },
  );

  test("on many connections move every request to others", async () => {
    const held: PeerRequest[] = [];
    using server = hostileApiServer((request) => void (request.path.startsWith("/hold") ? held.push(request) : echo(request)), way);
    const paths = Array.from({ length: 8 }, (_, index) => `/hold-${index}`);
    const first = paths.map((path) => server.ask(path));
    await until("all requests to arrive", () => held.length === paths.length);
    for (const request of held) echo(request);
    expect(await Promise.all(first)).toEqual(paths.map((path) => `200 GET ${path}`));
    for (const connection of server.peer.connections) connection.write(idleTimeout);
    stall();
    const later = Array.from({ length: 8 }, (_, index) => `/later-${index}`);
    expect(await Promise.all(later.map((path) => server.ask(path)))).toEqual(later.map((path) => `200 GET ${path}`));
  });
});

test.each(["\n", "\0", "H", "HTTP/1.1 200 OK\r\n", idleTimeout])("%p on an idle connection ends it", async (bytes) => {
  using server = hostileApiServer(echo);
  await server.ask("/first");
  server.peer.connections[0]?.write(bytes);
  await until("the connection to close", () => server.peer.connections[0]?.open === false);
  expect(await server.ask("/second")).toBe("200 GET /second");
});

describe("bytes after a response", () => {
  const smuggled = wellFormed("smuggled");

  test.each([
    ["another response", smuggled],
    ["garbage", "garbage"],
    ["a single byte", "\n"],
  ])("in the same write are not the response to a call that waits: %s", async (_, more) => {
    using server = hostileApiServer(({ method, path, connection }) => connection.write(wellFormed(`${method} ${path}`) + more));
    const paths = Array.from({ length: 40 }, (_, index) => `/${index}`);
    const asked = paths.map((path, index) => server.ask(path, index % 2 === 0 ? {} : { method: "PATCH", body: "{}" }));
    expect(await Promise.all(asked)).toEqual(paths.map((path, index) => `200 ${index % 2 === 0 ? "GET" : "PATCH"} ${path}`));
    expect(server.peer.requests).toHaveLength(paths.length);
  });

  test("that come when the next GET was sent cost it a second try", async () => {
    let garbled = false;
    using server = hostileApiServer((request) => {
      if (request.earlier === 0) return echo(request);
      garbled = true;
      return request.connection.write("garbage");
    });
    await server.ask("/first");
    expect(await server.ask("/second")).toBe("200 GET /second");
    expect([garbled, server.peer.requests]).toEqual([true, ["GET /first", "GET /second", "GET /second"]]);
  });
});
