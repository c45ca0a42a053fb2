import { describe, expect, test } from "bun:test";
import type { TLSSocket } from "node:tls";
import { connect } from "@csi-sidecars/kube";
import type { ProxyConfig, TlsConfig } from "../../packages/kube/config/cluster-config.ts";
import { SecretString } from "../../packages/kube/config/secret-string.ts";
import { testAuthority } from "../../packages/kube/transport/testing/certificates.ts";
import { configFor, failureOf } from "../../packages/kube/transport/testing/expectations.ts";
import { httpsServer, proxyServer } from "../../packages/kube/transport/testing/servers.ts";

const ca = await testAuthority();
const trusting: TlsConfig = { insecure: false, ca: { field: "certificate-authority-data", pem: new SecretString(ca.pem) } };
const insecure: TlsConfig = { insecure: true };

interface Peer {
  readonly commonName?: string;
  readonly names: readonly string[];
  /** Where it listens; default 127.0.0.1. */
  readonly host?: string;
}

/** Asks such a server for the name that the client sent in the handshake, directly or through a proxy. */
async function askFor({ commonName = "server", names, host = "127.0.0.1" }: Peer, tls: TlsConfig, way: string): Promise<string> {
  const pair = await ca.issue(commonName, { names });
  await using server = await httpsServer(pair, (request, response) => void response.end(sniOf(request.socket as TLSSocket)), { host });
  await using proxy = await proxyServer({ leadsTo: host });
  const through: ProxyConfig = { url: `http://127.0.0.1:${proxy.port}`, from: "proxy-url" };
  const url = `https://${host.includes(":") ? `[${host}]` : host}:${server.port}`;
  const transport = connect(configFor(url, { tls, ...(way === "proxy" && { proxy: through }) }), { userAgent: "test/v1" });
  try {
    return await (await transport.request({ method: "GET", path: "/", timeoutMs: 60_000 })).text();
  } finally {
    transport.close();
  }
}

const sniOf = ({ servername }: { readonly servername?: unknown }) => (servername ? `SNI ${servername}` : "no SNI");

describe.each(["direct", "proxy"])("a server that is reached over the way %p", (way) => {
  test.each<[string, Peer, TlsConfig, string]>([
    ["by its IPv4 address", { names: ["127.0.0.1"] }, trusting, "no SNI"],
    ["by its IPv6 address", { names: ["::1"], host: "::1" }, trusting, "no SNI"],
    ["by its name", { names: ["localhost"], host: "localhost" }, trusting, "SNI localhost"],
    ["by a wildcard", { names: ["*.b.example"] }, { ...trusting, serverName: "a.b.example" }, "SNI a.b.example"],
    ["by tls-server-name", { names: ["kube.example"] }, { ...trusting, serverName: "kube.example" }, "SNI kube.example"],
    ["by a fully qualified name", { names: ["kube.example"] }, { ...trusting, serverName: "kube.example." }, "SNI kube.example"],
    ["by an address as tls-server-name", { names: ["10.0.0.1"] }, { ...trusting, serverName: "10.0.0.1" }, "no SNI"],
    ["unverified, with another name", { names: ["kube.example"] }, insecure, "no SNI"],
    ["unverified, without names", { names: [] }, insecure, "no SNI"],
    ["unverified, by another tls-server-name", { names: [] }, { ...insecure, serverName: "kube.example" }, "SNI kube.example"],
  ])("is accepted %s", async (_, peer, tls, answer) => {
    expect(await askFor(peer, tls, way)).toBe(answer);
  });

  test.each<[string, Peer, TlsConfig, string]>([
    ["for another name", { names: ["kube.example", "10.0.0.1"] }, trusting, `is for kube.example, 10.0.0.1, not for "127.0.0.1"`],
    ["for a name that looks like our address", { names: ["127.0.0.1.example"] }, trusting, `not for "127.0.0.1"`],
    ["for our address only as the common name", { commonName: "127.0.0.1", names: [] }, trusting, "has no subject alternative names"],
    [
      "for our name only as the common name",
      { commonName: "kube.example", names: [] },
      { ...trusting, serverName: "kube.example" },
      "has no subject alternative names, and its common name does not count",
    ],
    [
      "for our name only as the common name, beside others",
      { commonName: "kube.example", names: ["other.example"] },
      { ...trusting, serverName: "kube.example" },
      `is for other.example, not for "kube.example"`,
    ],
    [
      "for a wildcard with two labels in its place",
      { names: ["*.c.example"] },
      { ...trusting, serverName: "a.b.c.example" },
      `is for *.c.example, not for "a.b.c.example"`,
    ],
    [
      "for a wildcard inside a label",
      { names: ["k*.b.example"] },
      { ...trusting, serverName: "kube.b.example" },
      `is for k*.b.example, not for "kube.b.example"`,
    ],
  ])("is refused with a certificate %s", async (_, peer, tls, message) => {
    const error = await failureOf(askFor(peer, tls, way));
    expect([error.kind, error.message]).toEqual(["tls", expect.stringContaining(message)]);
  });
});
