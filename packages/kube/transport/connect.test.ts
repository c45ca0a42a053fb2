import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { gzipSync } from "node:zlib";
import { FakeClock, recordingLogger, until } from "@csi-sidecars/base/testing";
import { SecretString } from "../config/secret-string.ts";
import { connect } from "./connect.ts";
import { testAuthority } from "./testing/certificates.ts";
import { configFor, failureOf } from "./testing/expectations.ts";
import { httpServer, httpsServer, tcpServer } from "./testing/servers.ts";

const userAgent = "test/v1";
const get = { method: "GET", path: "/", timeoutMs: 60_000 } as const;
const head = "HTTP/1.1 200 OK\r\n";

async function firstChunk(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const chunk of chunks) return Buffer.from(chunk).toString();
  return "";
}

async function all(chunks: AsyncIterable<Uint8Array>, seen: string[]): Promise<void> {
  for await (const chunk of chunks) seen.push(Buffer.from(chunk).toString());
}

const hasIpv6Loopback = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === "::1"));

describe("a request", () => {
  test("arrives as it was given, below the server's path, with who we are", async () => {
    await using server = await httpServer(async (request, response) => {
      const body = await new Promise((resolve) => request.setEncoding("utf8").on("data", resolve));
      const { host, connection, ...headers } = request.headers;
      response.writeHead(201, { "x-answer": "yes" }).end(JSON.stringify({ method: request.method, url: request.url, headers, body }));
    });
    const transport = connect(configFor(`http://127.0.0.1:${server.port}/base`), { userAgent });
    const response = await transport.request({
      method: "POST",
      path: "/api/v1/pods?limit=5",
      headers: { "Content-Type": "application/json", accept: "application/json" },
      body: '{"a":"ä"}',
      timeoutMs: 60_000,
    });
    expect([response.status, response.header("X-Answer"), response.header("x-other")]).toEqual([201, "yes", undefined]);
    expect(JSON.parse(await response.text())).toEqual({
      method: "POST",
      url: "/base/api/v1/pods?limit=5",
      headers: {
        "user-agent": "test/v1",
        "accept-encoding": "gzip",
        "content-type": "application/json",
        accept: "application/json",
        "content-length": "10",
      },
      body: '{"a":"ä"}',
    });
    transport.close();
  });

  test("impersonates a user", async () => {
    await using server = await httpServer((request, response) => {
      response.end(JSON.stringify(Object.fromEntries(Object.entries(request.headers).filter(([name]) => name.startsWith("impersonate")))));
    });
    const impersonate = { user: "jane", uid: "7", groups: ["dev"], extra: { "Example.com/Scope": ["a"] } };
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`, { impersonate }), { userAgent });
    expect(JSON.parse(await (await transport.request(get)).text())).toEqual({
      "impersonate-user": "jane",
      "impersonate-uid": "7",
      "impersonate-group": "dev",
      "impersonate-extra-example.com%2fscope": "a",
    });
    transport.close();
  });

  test("impersonates a user in several groups, unless a proxy is between", async () => {
    await using server = await httpServer((request, response) =>
      response.end(JSON.stringify(request.headersDistinct["impersonate-group"])),
    );
    const impersonate = { user: "jane", groups: ["dev", "a, b"], extra: {} };
    const url = `http://127.0.0.1:${server.port}`;
    const transport = connect(configFor(url, { impersonate }), { userAgent });
    expect(JSON.parse(await (await transport.request(get)).text())).toEqual(["dev", "a, b"]);
    transport.close();
    const proxy = { url: "http://proxy", from: "HTTPS_PROXY" };
    expect(() => connect(configFor(url, { impersonate, proxy }), { userAgent })).toThrow(
      "through a proxy (HTTPS_PROXY) only one value of impersonate-group can be sent",
    );
  });

  test("reuses the connection of the one before", async () => {
    await using server = await httpServer((_, response) => void response.end("ok"));
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent });
    for (let i = 0; i < 3; i++) expect(await (await transport.request(get)).text()).toBe("ok");
    expect(server.accepted).toBe(1);
    transport.close();
    await until("the connections to close", () => server.open === 0);
  });

  test.each([
    [false, "gzip"],
    [true, "identity"],
  ])("accepts compressed answers unless told otherwise (disabled: %p)", async (disableCompression, encoding) => {
    await using server = await httpServer((request, response) => {
      const accepted = String(request.headers["accept-encoding"]);
      if (accepted === "gzip") response.setHeader("content-encoding", "gzip").end(gzipSync(accepted));
      else response.end(accepted);
    });
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`, { disableCompression }), { userAgent });
    expect(await (await transport.request(get)).text()).toBe(encoding);
    transport.close();
  });

  test("does not follow a redirect, which could carry credentials elsewhere", async () => {
    await using server = await httpServer((_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end());
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent });
    expect((await transport.request(get)).status).toBe(302);
    transport.close();
  });

  test.skipIf(!hasIpv6Loopback)("goes to an IPv6 address", async () => {
    const ca = await testAuthority();
    await using server = await httpsServer(await ca.issue("s"), (_, response) => void response.end("six"), { host: "::1" });
    const config = configFor(`https://[::1]:${server.port}`, {
      tls: { insecure: false, ca: { field: "ca", pem: new SecretString(ca.pem) } },
    });
    const transport = connect(config, { userAgent });
    expect(await (await transport.request(get)).text()).toBe("six");
    transport.close();
  });
});

test("credentials that the server does not take are named once, with what to do", async () => {
  await using server = await httpServer((_, response) => void response.writeHead(401).end());
  const log = recordingLogger();
  const config = configFor(`http://127.0.0.1:${server.port}`, { credentials: { kind: "token", token: new SecretString("stale-token") } });
  const transport = connect(config, { userAgent, log });
  for (let i = 0; i < 3; i++) expect((await transport.request(get)).status).toBe(401);
  expect(log.lines.map(({ message }) => message)).toEqual([
    `http://127.0.0.1:${server.port} refused the credentials of ${config.source}: ` +
      "the token is expired or unknown there; put a valid one into users[].user.token",
  ]);
  expect(JSON.stringify(log.lines)).not.toContain("stale-token");
  transport.close();
});

describe("no answer", () => {
  test("no listener: refused", async () => {
    const transport = connect(configFor("http://127.0.0.1:1"), { userAgent });
    const error = await failureOf(transport.request(get));
    expect([error.kind, error.message]).toEqual([
      "refused",
      "http://127.0.0.1:1: connection refused (address from a test); check that the API server runs and listens there",
    ]);
  });

  test("unknown host name: dns", async () => {
    const transport = connect(configFor("https://kubernetes.invalid"), { userAgent });
    const error = await failureOf(transport.request(get));
    expect([error.kind, error.message]).toEqual([
      "dns",
      "https://kubernetes.invalid: the host name cannot be resolved (address from a test); check the name and this machine's DNS",
    ]);
  });

  test.each([["GET"], ["POST"]] as const)("connection closed instead of an answer: reset (%s)", async (method) => {
    await using server = await tcpServer((socket) => void socket.destroy());
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent });
    expect((await failureOf(transport.request({ ...get, method }))).kind).toBe("reset");
  });

  test.each([[false], [true]])("half-open server: timeout (streaming: %p)", async (streaming) => {
    const clock = new FakeClock();
    await using server = await tcpServer(() => {});
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent, clock });
    const failing = failureOf(transport.request({ ...get, timeoutMs: 5_000, streaming }));
    await until("a connection", () => server.open === 1);
    await clock.advance(5_000);
    const error = await failing;
    expect([error.kind, error.message]).toEqual(["timeout", `http://127.0.0.1:${server.port}: no complete response within 5000 ms`]);
    await until("the connections to close", () => server.open === 0);
    expect(clock.waiting).toBe(0);
  });
});

describe("a body", () => {
  const stalling = (socket: { write(text: string): unknown }) => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);

  test("that stalls is under the request's deadline", async () => {
    const clock = new FakeClock();
    await using server = await tcpServer(stalling);
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent, clock });
    const failing = failureOf((await transport.request({ ...get, timeoutMs: 5_000 })).text());
    await clock.advance(5_000);
    expect((await failing).kind).toBe("timeout");
    await until("the connections to close", () => server.open === 0);
  });

  test("of a stream may be silent for hours", async () => {
    const clock = new FakeClock();
    let speak = () => {};
    await using server = await tcpServer((socket) => {
      stalling(socket);
      speak = () => void socket.end("5\r\nworld\r\n0\r\n\r\n");
    });
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent, clock });
    const response = await transport.request({ ...get, timeoutMs: 5_000, streaming: true });
    const seen: string[] = [];
    const reading = all(response.chunks(), seen);
    await until("the request to arrive", () => seen.length === 1);
    await clock.advance(24 * 3_600_000);
    speak();
    await reading;
    expect(seen).toEqual(["hello", "world"]);
  });

  const cuts: readonly [string, string][] = [
    ["between chunks", `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`],
    ["inside a chunk", `${head}Transfer-Encoding: chunked\r\n\r\n9\r\nhello`],
    ["before its announced length", `${head}Content-Length: 9\r\n\r\nhello`],
  ];
  test.each(cuts)("cut %s is a reset, never a clean end", async (_, bytes) => {
    await using server = await tcpServer((socket) => {
      socket.write(bytes);
      cut = () => socket.destroy();
    });
    let cut = () => {};
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent });
    const streamed = await transport.request({ ...get, streaming: true });
    const seen: string[] = [];
    const reading = failureOf(all(streamed.chunks(), seen));
    await until("the request to arrive", () => seen.length === 1);
    cut();
    expect((await reading).kind).toBe("reset");
    expect(seen).toEqual(["hello"]);

    const whole = (await transport.request(get)).text();
    cut();
    expect((await failureOf(whole)).kind).toBe("reset");
  });

  test("broken off closes the connection", async () => {
    await using server = await tcpServer(stalling);
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent });
    const response = await transport.request({ ...get, streaming: true });
    expect(await firstChunk(response.chunks())).toBe("hello");
    await until("the connections to close", () => server.open === 0);
  });

  test("left while it is silent closes the connection and ends the wait", async () => {
    await using server = await tcpServer(stalling);
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent });
    const response = await transport.request({ ...get, streaming: true });
    const iterator = response.chunks()[Symbol.asyncIterator]();
    await iterator.next();
    const waiting = iterator.next();
    await iterator.return?.();
    expect((await waiting).done).toBe(true);
    expect((await iterator.next()).done).toBe(true);
    await until("the connections to close", () => server.open === 0);
  });

  test("read to its end leaves no timer and keeps the connection", async () => {
    const clock = new FakeClock();
    await using server = await httpServer((_, response) => void response.end("done"));
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent, clock });
    const seen: string[] = [];
    await all((await transport.request(get)).chunks(), seen);
    await (await transport.request(get)).text();
    expect([seen.join(""), clock.waiting, server.accepted]).toEqual(["done", 0, 1]);
    transport.close();
  });
});

describe("the caller's signal", () => {
  const reason = new Error("no longer wanted");

  test("ends a request before it begins", async () => {
    const transport = connect(configFor("http://127.0.0.1:1"), { userAgent });
    const error = await failureOf(transport.request({ ...get, signal: AbortSignal.abort(reason) }));
    expect([error.kind, error.cause]).toEqual(["aborted", reason]);
  });

  test("ends the wait for headers", async () => {
    await using server = await tcpServer(() => {});
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent });
    const controller = new AbortController();
    const failing = failureOf(transport.request({ ...get, signal: controller.signal }));
    await until("a connection", () => server.open === 1);
    controller.abort(reason);
    expect((await failing).kind).toBe("aborted");
    await until("the connections to close", () => server.open === 0);
  });

  test.each(["text", "chunks"] as const)("ends the reading of a body (%s)", async (how) => {
    await using server = await tcpServer((socket) => void socket.write(`${head}Content-Length: 9\r\n\r\nhello`));
    const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent });
    const controller = new AbortController();
    const response = await transport.request({ ...get, signal: controller.signal });
    const failing = failureOf(how === "text" ? response.text() : all(response.chunks(), []));
    controller.abort(reason);
    const error = await failing;
    expect([error.kind, error.cause]).toEqual(["aborted", reason]);
    await until("the connections to close", () => server.open === 0);
  });
});

test("close ends what is in flight and refuses what comes later", async () => {
  await using server = await tcpServer(() => {});
  const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent });
  const failing = failureOf(transport.request(get));
  await until("a connection", () => server.open === 1);
  transport.close();
  expect((await failing).kind).toBe("closed");
  expect((await failureOf(transport.request(get))).kind).toBe("closed");
  await until("the connections to close", () => server.open === 0);
});
