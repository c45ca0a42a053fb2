import { describe, expect, test } from "bun:test";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { connect } from "@csi-sidecars/kube";
import type { TlsConfig } from "../../packages/kube/config/cluster-config.ts";
import { SecretString } from "../../packages/kube/config/secret-string.ts";
import { type TestPair, testAuthority } from "../../packages/kube/transport/testing/certificates.ts";
import { configFor, failureOf } from "../../packages/kube/transport/testing/expectations.ts";

const ca = await testAuthority();
const pair = await ca.issue("server");
const inline = (field: string, pem: string) => ({ field, pem: new SecretString(pem) });
const trusting: TlsConfig = { insecure: false, ca: inline("certificate-authority-data", ca.pem) };
const get = { method: "GET", path: "/", timeoutMs: 60_000 } as const;

/** A server that does `attack` with each connection, or speaks TLS with `options` and answers "ok". */
function attacker(attack: (socket: Socket) => void): Server {
  return createTcpServer((socket) => attack(socket.on("error", () => {})));
}

function tlsServer(options: TlsOptions): Server {
  return createTlsServer({ ...pair, ...options }, (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
  });
}

async function world(server: Server, tls: TlsConfig = trusting) {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const clock = new FakeClock(Date.now());
  const transport = connect(configFor(`https://127.0.0.1:${port}`, { tls }), { userAgent: "test/v1", clock });
  return {
    clock,
    sockets,
    ask: async (timeoutMs: number = get.timeoutMs) => (await transport.request({ ...get, timeoutMs })).text(),
    async [Symbol.asyncDispose]() {
      transport.close();
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const alert = (code: number) => Buffer.from([0x15, 3, 3, 0, 2, 2, code]);
const answering = (bytes: string | Buffer) => attacker((socket) => void socket.once("data", () => socket.end(bytes)));

describe("a server that", () => {
  test.each<[string, () => Server, "tls" | "reset", string]>([
    [
      "answers in plain HTTP",
      () => answering("HTTP/1.1 400 Bad Request\r\n\r\n"),
      "tls",
      "does not speak TLS on this port, it may be plain HTTP",
    ],
    ["answers with another protocol", () => answering("SSH-2.0-OpenSSH_9.6\r\n"), "tls", "does not speak TLS on this port"],
    ["only knows TLS 1.0", () => tlsServer({ minVersion: "TLSv1", maxVersion: "TLSv1" }), "tls", "must support TLS 1.2 or newer"],
    ["only knows TLS 1.1", () => tlsServer({ minVersion: "TLSv1.1", maxVersion: "TLSv1.1" }), "tls", "must support TLS 1.2 or newer"],
    ["closes at the first bytes", () => answering(""), "reset", "closed the connection during the TLS handshake"],
    [
      "resets at the first bytes",
      () => attacker((socket) => void socket.once("data", () => socket.resetAndDestroy())),
      "reset",
      "closed the connection during the TLS handshake",
    ],
    ["knows no such name", () => answering(alert(112)), "tls", `does not know the name "127.0.0.1"`],
    [
      "demands a client certificate",
      () => answering(alert(116)),
      "tls",
      "demands a client certificate; set client-certificate and client-key",
    ],
    [
      "demands a client certificate in TLS 1.3",
      () => tlsServer({ requestCert: true, ca: ca.pem }),
      "tls",
      "demands a client certificate; set client-certificate and client-key",
    ],
    [
      "demands a client certificate in TLS 1.2",
      () => tlsServer({ requestCert: true, ca: ca.pem, maxVersion: "TLSv1.2" }),
      "tls",
      "it may demand a client certificate (set client-certificate and client-key of the user)",
    ],
    ["fails", () => answering(alert(80)), "tls", "the TLS handshake failed (TLSV1_ALERT_INTERNAL_ERROR)"],
  ])("%s is named as the cause", async (_, server, kind, message) => {
    await using peer = await world(server());
    const error = await failureOf(peer.ask());
    expect([error.kind, error.message]).toEqual([kind, expect.stringContaining(message)]);
    await until("the connection to close", () => peer.sockets.size === 0);
  });

  test.each<[string, number, string]>([
    ["does not know its authority", 48, "does not know the authority that signed our client certificate"],
    ["says that it has expired", 45, "says that our client certificate has expired"],
    ["refuses it", 42, "refused our client certificate (SSLV3_ALERT_BAD_CERTIFICATE)"],
    ["says that it was revoked", 44, "refused our client certificate (SSLV3_ALERT_CERTIFICATE_REVOKED)"],
  ])("gets a client certificate and %s leads to its field", async (_, code, message) => {
    const own: TestPair = await ca.issue("client");
    const clientCertificate = { cert: inline("users[].user.client-certificate-data", own.cert), key: inline("client-key-data", own.key) };
    await using peer = await world(answering(alert(code)), { ...trusting, clientCertificate });
    const error = await failureOf(peer.ask());
    expect([error.kind, error.message]).toEqual(["tls", expect.stringContaining(`${message}; check users[].user.client-certificate-data`)]);
  });

  test("fails the handshake fails it without verification too", async () => {
    await using peer = await world(answering(alert(80)), { insecure: true });
    expect((await failureOf(peer.ask())).kind).toBe("tls");
  });

  test("never answers the handshake is given up after 10 s", async () => {
    await using peer = await world(attacker(() => {}));
    const outcome = failureOf(peer.ask());
    await until("the connection", () => peer.sockets.size === 1);
    await until("the time limit of the handshake", () => (peer.clock.nextIn ?? Number.POSITIVE_INFINITY) <= 10_000);
    await peer.clock.advance(10_000);
    const error = await outcome;
    expect([error.kind, error.message]).toEqual(["timeout", expect.stringContaining("the TLS handshake did not end within 10 s")]);
    await until("the connection to close", () => peer.sockets.size === 0);
    expect(peer.clock.waiting).toBe(0);
  });

  test("stops in the middle of the handshake is given up, and the next connection serves", async () => {
    let stall = true;
    const real = tlsServer({});
    const server = attacker((socket) => {
      if (stall) socket.once("data", () => socket.write(Buffer.from([0x16, 3, 3, 0, 200, 2])));
      else real.emit("connection", socket);
    });
    await using peer = await world(server);
    const first = failureOf(peer.ask());
    await until("the connection", () => peer.sockets.size === 1);
    await until("the time limit of the handshake", () => (peer.clock.nextIn ?? Number.POSITIVE_INFINITY) <= 10_000);
    stall = false;
    await peer.clock.advance(10_000);
    expect((await first).kind).toBe("timeout");
    expect(await peer.ask()).toBe("ok");
  });

  test("takes longer for the handshake than a request has time serves the next request", async () => {
    const real = tlsServer({});
    const held: Socket[] = [];
    await using peer = await world(attacker((socket) => void held.push(socket.pause())));
    const first = failureOf(peer.ask(3_000));
    await until("the first connection", () => held.length === 1);
    await peer.clock.advance(3_000);
    expect((await first).kind).toBe("timeout");
    const second = peer.ask(3_000);
    await until("the second connection", () => held.length === 2);
    real.emit("connection", held[0]);
    expect(await second).toBe("ok");
  });
});
