import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { until } from "@csi-sidecars/base/testing";
import { createClient, PersistentVolume, type Transport } from "@csi-sidecars/kube";
import { failureOf } from "../../packages/kube/transport/testing/expectations.ts";
import { type HostileApiServerOptions, hostileApiServer } from "./testing/hostile-api-server.ts";
import type { PeerConnection } from "./testing/raw-http-peer.ts";

const mib = 1024 * 1024;
const fixed = (bytes: number, more = "") => `HTTP/1.1 200 OK\r\n${more}content-length: ${bytes}\r\n\r\n`;
const untilClose = "HTTP/1.1 200 OK\r\n\r\n";

/** How many there are in the heap. */
function byteArrays(): number {
  Bun.gc(true);
  const { Uint8Array: arrays = 0, Buffer: buffers = 0 } = heapStats().objectTypeCounts;
  return arrays + buffers;
}

const client = (transport: Transport) => createClient({ transport, clock: systemClock, log: silentLogger, name: "test", qps: 0, burst: 0 });

describe.each<[string, HostileApiServerOptions]>([
  ["TCP", {}],
  ["TLS", { tls: true }],
  ["a proxy", { proxied: true }],
])("a body that lasts until the connection ends (%s)", (_, way) => {
  /** Reads the start of the body, then ends the connection. */
  async function ended(end: (connection: PeerConnection) => void) {
    using server = hostileApiServer(({ connection }) => connection.write(`${untilClose}[1,2`), way);
    const response = await server.transport.request({ method: "GET", path: "/", timeoutMs: 60_000, streaming: true });
    const read: string[] = [];
    for await (const chunk of response.chunks()) {
      read.push(Buffer.from(chunk).toString());
      for (const connection of server.peer.connections) end(connection);
    }
    return read.join("");
  }

  test("is complete where the server closes it", async () => {
    expect(await ended((connection) => connection.end())).toBe("[1,2");
  });

  // Bun's fetch does not tell a reset from an end there. What is cut off is no JSON then: see the next test.
  test.skipIf(way.proxied === true)("is cut off where the connection is reset", async () => {
    expect((await failureOf(ended((connection) => connection.reset()))).kind).toBe("reset");
  });

  test("and is not the JSON that it should be is an error of the client, never a short list", async () => {
    using server = hostileApiServer(({ connection }) => {
      connection.write(`${untilClose}{"items":[{}`);
      connection.end();
    }, way);
    const error = await failureOf(client(server.transport).list(PersistentVolume));
    expect(error.message).toContain("is not JSON");
  });
});

describe.each([
  ["directly", false],
  ["through a proxy", true],
])("a body without measure (%s)", (_, proxied) => {
  const limit = { maxBodyBytes: mib, proxied };

  test.each([
    ["a gzip bomb", Buffer.concat([Buffer.from(fixed(65_253, "content-encoding: gzip\r\n")), gzipSync(Buffer.alloc(64 * mib))])],
    ["a length beyond the limit", Buffer.concat([Buffer.from(fixed(9 * mib)), Buffer.alloc(2 * mib, "x")])],
    [
      "an endless chunk",
      Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffff\r\n"), Buffer.alloc(2 * mib)]),
    ],
    ["no length", Buffer.concat([Buffer.from(untilClose), Buffer.alloc(2 * mib)])],
  ])("is refused: %s", async (_, bytes) => {
    using server = hostileApiServer(({ connection }) => connection.write(bytes), limit);
    const error = await failureOf(server.ask("/"));
    expect(error.message).toBe(`${server.url}: the API server's response is larger than 1 MiB, the most that is read at once`);
    if (!bytes.includes("gzip")) await until("the connection to close", () => server.peer.connections.every(({ open }) => !open));
  });

  test("is accepted up to the limit", async () => {
    const body = gzipSync(Buffer.alloc(mib, "x"));
    const bytes = Buffer.concat([Buffer.from(fixed(body.length, "content-encoding: gzip\r\n")), body]);
    using server = hostileApiServer(({ connection }) => connection.write(bytes), limit);
    expect((await server.ask("/")).length).toBe("200 ".length + mib);
  });
});

test("a body of single bytes is not kept as an object for each of them", async () => {
  const count = 300_000;
  using server = hostileApiServer(({ path, connection }) =>
    connection.write(
      path === "/witness" ? `${fixed(2)}ok` : `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(count)}`,
    ),
  );
  const before = byteArrays();
  const asked = server.ask("/");
  await until("all of it to be sent", () => server.peer.connections[0]?.unsentBytes === 0);
  // All this time the client reads.
  for (let witness = 0; witness < 50; witness++) expect(await server.ask("/witness")).toBe("200 ok");
  expect(byteArrays() - before).toBeLessThan(count / 20);
  server.peer.connections[0]?.write("0\r\n\r\n");
  expect((await asked).length).toBe("200 ".length + count);
});

test("a stream that nobody reads stops the server, not us", async () => {
  const total = 64 * mib;
  using server = hostileApiServer(({ path, connection }) => {
    if (path === "/witness") return connection.write(`${fixed(2)}ok`);
    connection.write(untilClose);
    connection.write(Buffer.alloc(total));
    return connection.end();
  });
  const response = await server.transport.request({ method: "GET", path: "/", timeoutMs: 60_000, streaming: true });
  // All this time the server could have sent.
  for (let witness = 0; witness < 500; witness++) expect(await server.ask("/witness")).toBe("200 ok");
  expect(server.peer.connections[0]?.unsentBytes).toBeGreaterThan(total / 4);
  let read = 0;
  for await (const chunk of response.chunks()) read += chunk.length;
  expect(read).toBe(total);
});
