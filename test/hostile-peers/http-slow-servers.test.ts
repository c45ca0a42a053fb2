import { describe, expect, test } from "bun:test";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { failureOf } from "../../packages/kube/transport/testing/expectations.ts";
import { hostileApiServer, wellFormed } from "./testing/hostile-api-server.ts";
import type { PeerConnection, RawHttpPeer } from "./testing/raw-http-peer.ts";

const timeoutMs = 5_000;
const allClosed = ({ connections }: RawHttpPeer) => until("the connections to close", () => connections.every(({ open }) => !open));

describe.each([
  ["TCP", false],
  ["TLS", true],
])("a server that takes its time (%s)", (_, tls) => {
  test("and never answers meets the deadline", async () => {
    const clock = new FakeClock();
    using server = hostileApiServer(() => {}, { tls, clock });
    const failing = failureOf(server.ask("/", { timeoutMs }));
    await until("the request to arrive", () => server.peer.requests.length === 1);
    await clock.advance(timeoutMs);
    const error = await failing;
    expect([error.kind, error.message]).toEqual(["timeout", `${server.url}: no complete response within ${timeoutMs} ms`]);
    await allClosed(server.peer);
  });

  test.each([
    ["its head", wellFormed("body").slice(0, -10)],
    ["its body", wellFormed("body").slice(0, -1)],
    ["1xx responses", "HTTP/1.1 102 Processing\r\n\r\n".repeat(100)],
    ["chunk extensions", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;xxxxxxxxxxxxxxxxx"],
  ])("and sends %s byte by byte meets the deadline", async (_, text) => {
    const clock = new FakeClock();
    let connection: PeerConnection | undefined;
    using server = hostileApiServer(
      (request) => {
        connection = request.connection;
      },
      { tls, clock },
    );
    const failing = failureOf(server.ask("/", { timeoutMs }));
    await until("the request to arrive", () => connection !== undefined);
    for (const byte of text) {
      connection?.write(byte);
      await clock.advance((timeoutMs - 1) / text.length);
    }
    await clock.advance(timeoutMs);
    expect((await failing).kind).toBe("timeout");
    await allClosed(server.peer);
  });
});

test("a listener that accepts nothing but connections costs one request its deadline, not the others", async () => {
  const clock = new FakeClock();
  using server = hostileApiServer(
    ({ path, connection }) => {
      if (path !== "/silent") connection.write(wellFormed(path));
    },
    { clock },
  );
  const silent = failureOf(server.ask("/silent", { timeoutMs }));
  expect(await Promise.all(["/a", "/b", "/c"].map((path) => server.ask(path)))).toEqual(["200 /a", "200 /b", "200 /c"]);
  await clock.advance(timeoutMs);
  expect((await silent).kind).toBe("timeout");
});

test("a server that answers before it has read the request is heard, and its connection is not used again", async () => {
  const paths: string[] = [];
  using server = hostileApiServer(
    ({ path, connection }) => {
      paths.push(path);
      connection.write(wellFormed(path));
    },
    {
      onPartial(connection) {
        connection.stopReading();
        connection.write(wellFormed("too large", "413 Content Too Large"));
      },
    },
  );
  const body = "x".repeat(32 * 1024 * 1024);
  expect(await server.ask("/large", { method: "POST", body })).toBe("413 too large");
  expect(await server.ask("/next")).toBe("200 /next");
  expect([paths, server.peer.connections.length]).toEqual([["/next"], 2]);
});

test("a server that speaks first is not understood", async () => {
  using server = hostileApiServer(() => {}, { onConnection: (connection) => connection.write("220 mail.example ESMTP\r\n") });
  const error = await failureOf(server.ask("/"));
  expect(error.message).toContain("the API server's response is malformed: it does not start with an HTTP/1.1 status line");
});

test.each([false, true])("a server that closes its side at once ends the request (TLS: %p)", async (tls) => {
  using server = hostileApiServer(() => {}, { tls, onConnection: (connection) => !tls && connection.end(), onPartial: () => {} });
  if (tls) {
    const failing = failureOf(server.ask("/"));
    await until("the request to arrive", () => server.peer.requests.length === 1);
    server.peer.connections[0]?.end();
    expect((await failing).kind).toBe("reset");
  } else expect((await failureOf(server.ask("/"))).kind).toBe("reset");
});
