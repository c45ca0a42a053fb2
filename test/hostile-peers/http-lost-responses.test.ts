import { describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { failureOf } from "../../packages/kube/transport/testing/expectations.ts";
import { hostileApiServer, wellFormed } from "./testing/hostile-api-server.ts";
import type { PeerConnection, PeerRequest } from "./testing/raw-http-peer.ts";

const writes = ["PUT", "DELETE", "POST", "PATCH"] as const;
const ends: readonly [string, (connection: PeerConnection) => void][] = [
  ["closes", (connection) => connection.end()],
  ["is reset", (connection) => connection.reset()],
];

/** The first request of a connection gets a response; the server carries out the second and loses the connection. */
const losing = (end: (connection: PeerConnection) => void) => (request: PeerRequest) =>
  request.earlier === 0 ? request.connection.write(wellFormed(request.path)) : end(request.connection);

const ways: readonly [string, { readonly tls?: boolean; readonly proxied?: boolean }][] = [
  ["TCP", {}],
  ["TLS", { tls: true }],
  ["a proxy", { proxied: true }],
];

describe.each(ways)("a used connection that ends after it carried a request (%s)", (_, way) => {
  describe.each(ends)("and %s", (_, end) => {
    test.each(writes)("fails a %s, which is never sent twice", async (method) => {
      using server = hostileApiServer(losing(end), way);
      await server.ask("/first");
      // Through a proxy a PUT or DELETE has a connection of its own: a second one cannot meet the end of a used one.
      const own = way.proxied === true && (method === "PUT" || method === "DELETE");
      if (own) expect(await server.ask("/second", { method })).toContain("200");
      else expect((await failureOf(server.ask("/second", { method }))).kind).toBe("reset");
      expect(server.peer.requests.filter((line) => line.startsWith(method))).toHaveLength(1);
    });

    test("costs a GET a second try", async () => {
      using server = hostileApiServer(losing(end), way);
      await server.ask("/first");
      expect(await server.ask("/second")).toContain("200");
      expect(server.peer.requests).toHaveLength(3);
    });
  });
});

describe.each(ends)("a new connection that %s instead of a response", (_, end) => {
  test.each(["GET", ...writes] as const)("fails a %s, sent once", async (method) => {
    using server = hostileApiServer(({ connection }) => end(connection));
    const error = await failureOf(server.ask("/first", { method }));
    expect([error.kind, error.message]).toEqual(["reset", `${server.url}: the connection was closed before the response was complete`]);
    expect(server.peer.requests).toEqual([`${method} /first`]);
  });

  test.each(["PUT", "DELETE"] as const)("fails a %s through a proxy, sent once", async (method) => {
    using server = hostileApiServer(({ connection }) => end(connection), { proxied: true });
    expect((await failureOf(server.ask("/first", { method }))).kind).toBe("reset");
    expect(server.peer.requests).toHaveLength(1);
  });
});

describe.each(ends)("a connection that %s in the middle of a response", (_, end) => {
  test.each([
    ["of a fixed length", "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody"],
    ["in chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n"],
  ])("%s is an error at every byte", async (_, whole) => {
    let sent = 0;
    using server = hostileApiServer(({ connection }) => {
      connection.write(whole.slice(0, sent));
      end(connection);
    });
    for (; sent < whole.length; sent++) expect((await failureOf(server.ask("/"))).kind).toBe("reset");
    expect(server.peer.requests).toHaveLength(whole.length);
  });
});

test.each([false, true])("a server that closes after each response costs nothing (TLS: %p)", async (tls) => {
  using server = hostileApiServer(
    ({ path, connection }) => {
      connection.write(wellFormed(path));
      connection.end();
    },
    { tls },
  );
  for (const path of ["/1", "/2", "/3"]) expect(await server.ask(path, { method: "PATCH", body: "{}" })).toBe(`200 ${path}`);
  await until("the connections to close", () => server.peer.connections.every(({ open }) => !open));
});
