import { describe, expect, test } from "bun:test";
import { FakeClock, recordingLogger, until } from "@csi-sidecars/base/testing";
import type { TlsConfig } from "../config/cluster-config.ts";
import { SecretString } from "../config/secret-string.ts";
import { memoryFiles } from "../config/testing/memory-files.ts";
import { openBunPool } from "./bun-transport.ts";
import { connect } from "./connect.ts";
import type { OpenPool, Pool } from "./pool.ts";
import { type CertificateOptions, testAuthority } from "./testing/certificates.ts";
import { configFor, failureOf } from "./testing/expectations.ts";
import { httpServer, httpsServer } from "./testing/servers.ts";

const userAgent = "test/v1";
const get = { method: "GET", path: "/", timeoutMs: 60_000 } as const;
const ca = await testAuthority();
const otherCa = await testAuthority("other-ca");
const pair = await ca.issue("server");
const inline = (pem: string) => ({ field: "certificate-authority-data", pem: new SecretString(pem) });
const trusting: TlsConfig = { insecure: false, ca: inline(ca.pem) };

async function answer(port: number, tls: TlsConfig): Promise<string> {
  const transport = connect(configFor(`https://127.0.0.1:${port}`, { tls }), { userAgent });
  try {
    return await (await transport.request(get)).text();
  } finally {
    transport.close();
  }
}

describe("the server's certificate", () => {
  test.each([
    ["signed by our authority", trusting],
    ["one of several authorities", { insecure: false, ca: inline(otherCa.pem.trim() + ca.pem) }],
    ["not verified", { insecure: true }],
  ] as const)("is accepted: %s", async (_, tls) => {
    await using server = await httpsServer(pair, (_, response) => void response.end("ok"));
    expect(await answer(server.port, tls)).toBe("ok");
  });

  test("is accepted under another name", async () => {
    const named = await ca.issue("server", { names: ["kube.example"] });
    await using server = await httpsServer(named, (_, response) => void response.end("ok"));
    expect(await answer(server.port, { ...trusting, serverName: "kube.example" })).toBe("ok");
  });

  const refusals: readonly [string, CertificateOptions, TlsConfig, string | RegExp][] = [
    [
      "another authority",
      {},
      { insecure: false, ca: inline(otherCa.pem) },
      "the server's certificate is signed by an authority we do not know (CN=test-ca); check certificate-authority-data",
    ],
    [
      "no authority",
      {},
      { insecure: false },
      "the server's certificate is signed by an authority we do not know (CN=test-ca); give the cluster's CA as certificate-authority",
    ],
    [
      "expired",
      { validity: "past" },
      trusting,
      /the server's certificate expired at 20\d\d-\d\d-\d\dT\S+Z; renew it, or check this machine's clock$/,
    ],
    [
      "not valid yet",
      { validity: "future" },
      trusting,
      /the server's certificate is not valid before 20\d\d-\d\d-\d\dT\S+Z; check this machine's clock$/,
    ],
    [
      "another address",
      { names: ["kube.example"] },
      trusting,
      `the server's certificate is for kube.example, not for "127.0.0.1"; correct the address (from a test), or set tls-server-name to a name in the certificate`,
    ],
    [
      "another server name",
      {},
      { ...trusting, serverName: "kube.example" },
      `the server's certificate is for localhost, 127.0.0.1, 0:0:0:0:0:0:0:1, not for "kube.example"; correct the address (from a test), or set tls-server-name to a name in the certificate`,
    ],
    [
      "an address as DNS name",
      { names: ["127.0.0.1"], addressesAsDnsNames: true },
      trusting,
      `the server's certificate has 127.0.0.1 as a DNS name, which does not count for an address; issue one that has it as an IP address SAN`,
    ],
  ];
  test.each(refusals)("is refused: %s", async (_, certificate, tls, message) => {
    await using server = await httpsServer(await ca.issue("server", certificate), (_, response) => void response.end("ok"));
    const error = await failureOf(answer(server.port, tls));
    expect(error.kind).toBe("tls");
    expect(error.message).toMatch(message);
  });

  test("is missing where the server speaks no TLS", async () => {
    await using server = await httpServer((_, response) => void response.end("ok"));
    const error = await failureOf(answer(server.port, trusting));
    expect([error.kind, error.message]).toEqual(["tls", expect.stringContaining("the server does not speak TLS on this port")]);
  });
});

describe("the client's certificate", () => {
  test("is shown where the server demands one", async () => {
    const client = await ca.issue("client");
    await using server = await httpsServer(pair, (_, response) => void response.end("welcome"), { clientCa: ca.pem });
    const clientCertificate = { cert: inline(client.cert), key: inline(client.key) };
    expect(await answer(server.port, { ...trusting, clientCertificate })).toBe("welcome");
    expect((await failureOf(answer(server.port, trusting))).kind).toBe("tls");
  });
});

describe("certificates that the runtime does not take", () => {
  const block = (bytes: string) => `-----BEGIN CERTIFICATE-----\n${Buffer.from(bytes).toString("base64")}\n-----END CERTIFICATE-----\n`;

  test("fail the requests that wait for a connection, and nothing later", async () => {
    await using server = await httpsServer(pair, (_, response) => void response.end("ok"));
    const client = await ca.issue("client");
    const own = { cert: { ...inline(client.cert), field: "client-certificate-data" }, key: inline(client.key) };
    const clock = new FakeClock(Date.now());
    const openPool: OpenPool = (settings) =>
      openBunPool({
        ...settings,
        tls: { ...trusting, ca: ca.pem, clientCertificate: { ...client, cert: client.cert + block("no certificate") } },
      });
    const config = configFor(`https://127.0.0.1:${server.port}`, { tls: { ...trusting, clientCertificate: own } });
    const transport = connect(config, { userAgent, clock, openPool });
    for (const { kind, message } of await Promise.all([1, 2, 3, 4, 5, 6].map(() => failureOf(transport.request(get))))) {
      expect([kind, message]).toEqual(["tls", expect.stringContaining("our own certificates cannot be used (ERR_OSSL_")]);
      expect(message).toEndWith("; check client-certificate-data and certificate-authority-data");
    }
    expect(clock.waiting).toBe(0);
    transport.close();
  });
});

describe("files that are replaced while we run", () => {
  const fiveMinutes = 5 * 60_000;

  test("authority: used for new connections after five minutes; a broken one changes nothing", async () => {
    await using server = await httpsServer(pair, (_, response) => void response.end("ok"));
    const files: Record<string, string> = { "/ca": ca.pem };
    const clock = new FakeClock();
    const log = recordingLogger();
    const tls: TlsConfig = { insecure: false, ca: { field: "certificate-authority", file: "/ca" } };
    const config = configFor(`https://127.0.0.1:${server.port}`, { tls });
    // Held, so that no garbage collection closes a connection that we forgot to close.
    const pools: Pool[] = [];
    const openPool: OpenPool = (settings) => {
      const pool = openBunPool(settings);
      pools.push(pool);
      return pool;
    };
    const transport = connect(config, { userAgent, clock, log, files: memoryFiles(files), openPool });
    const ask = async () => (await transport.request(get)).text();

    expect(await ask()).toBe("ok");
    files["/ca"] = "";
    await clock.advance(fiveMinutes);
    expect(await ask()).toBe("ok");
    expect(log.lines.map(({ message }) => message)).toEqual(["Cannot use the certificate authority file, keeping the current one"]);
    expect(server.accepted).toBe(1);

    files["/ca"] = otherCa.pem;
    await clock.advance(fiveMinutes - 1);
    expect(await ask()).toBe("ok");
    await clock.advance(1);
    expect((await failureOf(ask())).message).toContain("check certificate-authority (/ca)");
    await until("the connections to close", () => server.open === 0);

    files["/ca"] = ca.pem;
    await clock.advance(fiveMinutes);
    expect(await ask()).toBe("ok");
    expect(pools).toHaveLength(3);
    transport.close();
  });

  test("authority of the pod: broken at the start, used once it is there", async () => {
    await using server = await httpsServer(pair, (_, response) => void response.end("ok"));
    const files: Record<string, string> = { "/ca": "rubbish" };
    const clock = new FakeClock();
    const tls: TlsConfig = { insecure: false, ca: { field: "in-cluster configuration", file: "/ca", optional: true } };
    const transport = connect(configFor(`https://127.0.0.1:${server.port}`, { tls }), { userAgent, clock, files: memoryFiles(files) });
    expect((await failureOf(transport.request(get))).kind).toBe("tls");
    files["/ca"] = ca.pem;
    await clock.advance(fiveMinutes);
    expect((await transport.request(get)).status).toBe(200);
    transport.close();
  });

  test("client certificate: a half-written pair is not used; a new pair opens new connections and ends streams", async () => {
    await using server = await httpsServer(
      pair,
      (request, response) => {
        if (request.url === "/watch") response.write("event");
        else response.end("ok");
      },
      { clientCa: ca.pem },
    );
    const [old, fresh] = [await ca.issue("old"), await ca.issue("new")];
    const files: Record<string, string> = { "/cert": old.cert, "/key": old.key };
    const clock = new FakeClock();
    const log = recordingLogger();
    const clientCertificate = { cert: { field: "client-certificate", file: "/cert" }, key: { field: "client-key", file: "/key" } };
    const config = configFor(`https://127.0.0.1:${server.port}`, { tls: { ...trusting, clientCertificate } });
    const transport = connect(config, { userAgent, clock, log, files: memoryFiles(files) });
    const ask = async () => (await transport.request(get)).text();

    const watch = await transport.request({ ...get, path: "/watch", streaming: true });
    const watching = failureOf(
      (async () => {
        for await (const _ of watch.chunks());
      })(),
    );
    expect(await ask()).toBe("ok");
    expect(server.accepted).toBe(2);

    files["/cert"] = fresh.cert;
    await clock.advance(fiveMinutes);
    expect(await ask()).toBe("ok");
    expect(server.accepted).toBe(2);
    expect(String(log.lines[0]?.error)).toContain("client-key: /key: is not the key of the certificate in client-certificate: /cert");

    files["/key"] = fresh.key;
    await clock.advance(fiveMinutes);
    expect(await ask()).toBe("ok");
    expect(server.accepted).toBe(3);
    expect((await watching).kind).toBe("reset");
    await until("a connection", () => server.open === 1);
    transport.close();
  });
});
