import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { silentLogger } from "@csi-sidecars/base";
import { type Endpoint, HttpsServer } from "../../components/snapshot-webhook/server/https-server.ts";
import { FakeClock } from "../../packages/base/testing/fake-clock.ts";
import { type TestPair, testAuthority } from "../../packages/kube/transport/testing/certificates.ts";
import { until } from "../e2e/testing/until.ts";
import { connectTo } from "./testing/tls-client.ts";

/** More than the buffers of a connection hold. */
const largeBytes = 50_000_000;

let pair: TestPair;
let clock: FakeClock;
let server: HttpsServer;
let port: number;
let answered: string[];
/** What `/held` waits for. */
let held: PromiseWithResolvers<void>;
let asked: string[];

beforeAll(async () => {
  pair = await (await testAuthority()).issue("webhook");
});
beforeEach(async () => {
  clock = new FakeClock();
  answered = [];
  asked = [];
  held = Promise.withResolvers<void>();
  const endpoint = (answer: Endpoint["answer"]): Endpoint => ({ maxBytes: 100, answer });
  server = new HttpsServer({
    ...{ host: "127.0.0.1", port: 0, pair, clock, log: silentLogger },
    endpoints: new Map([
      ["/echo", endpoint(({ body, contentType, accept }) => ({ status: 200, body: `${contentType}|${accept}|${body}` }))],
      [
        "/held",
        endpoint(async ({ body }) => {
          asked.push(body);
          await held.promise;
          return { status: 200, body: "released" };
        }),
      ],
      [
        "/broken",
        endpoint(() => {
          throw new Error("a defect");
        }),
      ],
      ["/large", endpoint(() => ({ status: 200, body: "x".repeat(largeBytes) }))],
    ]),
    answered: (path, status) => answered.push(`${path} ${status}`),
  });
  port = await server.listen();
});
afterEach(async () => {
  held.resolve();
  await clock.advance(60_000);
  await server.close();
});

const post = (path: string, body: string, headers = "") =>
  `POST ${path} HTTP/1.1\r\nHost: webhook\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

describe("requests", () => {
  test("several on one connection, also at once, with their headers and bodies", async () => {
    await using client = await connectTo(port);
    client.write(post("/echo?timeout=10s", "one", "Content-Type: application/json\r\nAccept: a/b\r\n") + post("/echo", "zwei: ü"));
    await client.receives("\r\n\r\napplication/json|a/b|one");
    await client.receives("||zwei: ü");
    client.write("POST /echo HTTP/1.1\r\nHost: webhook\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nthr\r\n");
    client.write("2\r\nee\r\n0\r\n\r\n");
    await client.receives("||three");
    expect(answered).toEqual(["/echo 200", "/echo 200", "/echo 200"]);
  });

  test("an unknown path is 404, a defect is 500 and says no more", async () => {
    await using client = await connectTo(port);
    client.write(post("/nowhere", "body"));
    await client.receives("HTTP/1.1 404");
    await client.ends();
    await using other = await connectTo(port);
    other.write(post("/broken", ""));
    await other.receives("HTTP/1.1 500");
    await other.receives("internal server error\n");
    expect(other.received).not.toContain("defect");
    expect(answered[0]).toBe("other 404");
  });

  test.each([
    ["announced", post("/echo", "x".repeat(101))],
    ["not announced", `POST /echo HTTP/1.1\r\nHost: webhook\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n${"x".repeat(101)}\r\n`],
  ])("a body that is too large, %s, is refused and the connection ended", async (_what, text) => {
    await using client = await connectTo(port);
    client.write(text);
    await client.receives("HTTP/1.1 413");
    await client.receives("the request has more than 100 bytes\n");
    await client.ends();
  });

  test.each([
    ["no HTTP", "\u0000\u0001\u0002\r\n\r\n"],
    ["a length that is none", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"],
    ["two framings", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["endless headers", `GET /echo HTTP/1.1\r\nHost: a\r\nA: ${"x".repeat(200_000)}\r\n\r\n`],
    ["the opening of a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n"],
    ["a request that is cut off", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc"],
  ])("%s harms nobody else", async (_what, text) => {
    const client = await connectTo(port);
    client.write(text);
    await using other = await connectTo(port);
    other.write(post("/echo", "fine"));
    await other.receives("||fine");
    await client[Symbol.asyncDispose]();
    other.write(post("/echo", "still"));
    await other.receives("||still");
  });

  test("neither does a peer that does not speak TLS", async () => {
    const peer = connect(port, "127.0.0.1");
    peer.on("error", () => undefined);
    const ended = once(peer, "close");
    peer.write("GET /echo HTTP/1.1\r\n\r\n");
    await ended;
    await using client = await connectTo(port);
    client.write(post("/echo", "fine"));
    await client.receives("||fine");
  });
});

describe("time limits", () => {
  test("a client that sends nothing is waited for 10 s", async () => {
    await using client = await connectTo(port);
    await until("the server to wait", () => clock.waiting > 0);
    await clock.advance(9_999);
    client.write("POST /echo HTTP/1.1\r\n");
    expect(client.isClosed).toBe(false);
    await clock.advance(1);
    await client.ends();
  });

  test("a body is waited for 10 s", async () => {
    await using client = await connectTo(port);
    client.write(post("/echo", "first"));
    await client.receives("||first");
    client.write("POST /held HTTP/1.1\r\nHost: webhook\r\nContent-Length: 10\r\n\r\nabc");
    await using other = await connectTo(port);
    other.write(post("/echo", "meanwhile"));
    await other.receives("||meanwhile");
    await clock.advance(10_000);
    await client.ends();
    expect(other.isClosed).toBe(false);
    expect(asked).toEqual([]);
  });

  test("the next request is waited for 15 s", async () => {
    await using client = await connectTo(port);
    client.write(post("/echo", "first"));
    await client.receives("||first");
    await clock.advance(14_999);
    client.write(post("/echo", "second"));
    await client.receives("||second");
    await clock.advance(15_000);
    await client.ends();
  });

  test("an answer that is not taken is given up after 10 s", async () => {
    await using client = await connectTo(port);
    client.pause();
    client.write(post("/large", ""));
    await until("the answer", () => answered.includes("/large 200"));
    await clock.advance(10_000);
    client.resume();
    await client.ends();
    expect(client.received.length).toBeLessThan(largeBytes);
  });
});

describe("the end", () => {
  test("a request that came in is answered, idle connections end, new ones are refused", async () => {
    await using idle = await connectTo(port);
    await using busy = await connectTo(port);
    busy.write(post("/held", "last"));
    await until("the request", () => asked.length === 1);
    const closed = server.close();
    await idle.ends();
    await expect(connectTo(port)).rejects.toThrow();
    expect(busy.isClosed).toBe(false);
    held.resolve();
    await busy.receives("released");
    await busy.ends();
    await closed;
  });
});
