import { describe, expect, test } from "bun:test";
import type { RequestListener } from "node:http";
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from "node:net";
import { RevocablePermit, until } from "@csi-sidecars/base/testing";
import { SecretString } from "../config/secret-string.ts";
import { connect } from "./connect.ts";
import { testAuthority } from "./testing/certificates.ts";
import { configFor, failureOf } from "./testing/expectations.ts";
import { httpServer, httpsServer, proxyServer } from "./testing/servers.ts";

const patch = { method: "PATCH", path: "/late", body: "{}", timeoutMs: 60_000 } as const;
const refusal = new Error("not any more");
const aborted = { kind: "aborted", cause: refusal };

/** A transport to a server that notes what reaches it and answers when it is told to. */
async function world({ answers = true } = {}) {
  const received: string[] = [];
  const server = await httpServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    if (answers) response.end("ok");
  });
  const transport = connect(configFor(`http://127.0.0.1:${server.port}`), { userAgent: "test/v1" });
  return {
    received,
    server,
    transport,
    permit: new RevocablePermit(),
    /** Whatever was sent before has arrived when this one is answered. */
    witness: async () => (await transport.request({ method: "GET", path: "/witness", timeoutMs: 60_000 })).text(),
    async [Symbol.asyncDispose]() {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("a permit is asked when the bytes are written", () => {
  test("on a new connection: refused while it is made", async () => {
    await using w = await world();
    const request = w.transport.request({ ...patch, permit: w.permit });
    w.permit.refused = refusal;
    expect(await failureOf(request)).toMatchObject({ ...aborted, message: expect.stringContaining("request was not sent: not any more") });
    await w.witness();
    expect(w.received).toEqual(["GET /witness"]);
  });

  test("on a connection that is used again: refused while it is looked at", async () => {
    await using w = await world();
    await w.witness();
    const request = w.transport.request({ ...patch, permit: w.permit });
    w.permit.refused = refusal;
    expect(await failureOf(request)).toMatchObject(aborted);
    await w.witness();
    expect(w.received).toEqual(["GET /witness", "GET /witness"]);
  });

  test.each(["directly", "through a proxy"])("by all that wait for a handshake, %s", async (way) => {
    const authority = await testAuthority();
    const received: string[] = [];
    const handler: RequestListener = ({ method }, response) => {
      received.push(String(method));
      response.end();
    };
    await using server = await httpsServer(await authority.issue("server"), handler);
    await using held = await heldRelay(server.port);
    await using proxy = await proxyServer();
    const config = configFor(`https://127.0.0.1:${held.port}`, {
      tls: { insecure: false, ca: { field: "ca", pem: new SecretString(authority.pem) } },
      ...(way !== "directly" && { proxy: { url: `http://127.0.0.1:${proxy.port}`, from: "proxy-url" } }),
    });
    const transport = connect(config, { userAgent: "test/v1" });
    const permit = new RevocablePermit();
    const requests = Array.from({ length: 20 }, () => failureOf(transport.request({ ...patch, permit })));
    await until("some connect", () => held.accepted > 0);
    // Where the runtime connects by itself, it is told to end.
    if (way === "directly") permit.refused = refusal;
    else permit.withdraw(refusal);
    held.open();
    for (const failure of await Promise.all(requests)) expect(failure).toMatchObject(aborted);
    await (await transport.request({ method: "GET", path: "/witness", timeoutMs: 60_000 })).text();
    expect(received).toEqual(["GET"]);
    transport.close();
  });

  test("a request that is permitted is sent", async () => {
    await using w = await world();
    expect((await w.transport.request({ ...patch, permit: w.permit })).status).toBe(200);
    expect(w.received).toEqual(["PATCH /late"]);
  });
});

describe("a permit that is withdrawn", () => {
  test("closes the connection of a request in flight", async () => {
    await using w = await world({ answers: false });
    const request = failureOf(w.transport.request({ ...patch, permit: w.permit }));
    await until("it has arrived", () => w.received.length === 1);
    w.permit.withdraw(refusal);
    expect(await request).toMatchObject({ ...aborted, message: expect.stringContaining("request was cancelled") });
    await until("it is closed", () => w.server.open === 0);
  });

  test("lets no request begin", async () => {
    await using w = await world();
    w.permit.withdraw(refusal);
    expect(await failureOf(w.transport.request({ ...patch, permit: w.permit }))).toMatchObject(aborted);
    await w.witness();
    expect(w.received).toEqual(["GET /witness"]);
  });
});

/** Accepts connections for another port, and passes nothing on before it is opened. */
async function heldRelay(port: number) {
  const opened = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createServer(async (client) => {
    sockets.add(client.on("error", () => {}));
    await opened.promise;
    const inner = connectTcp(port, "127.0.0.1").on("error", () => client.destroy());
    sockets.add(inner);
    client.on("close", () => inner.destroy());
    client.pipe(inner).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return sockets.size;
    },
    open: () => opened.resolve(),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
