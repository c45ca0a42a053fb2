import { describe, expect, test } from "bun:test";
import { loadConfig } from "../config/load-config.ts";
import { SecretString } from "../config/secret-string.ts";
import { connect } from "./connect.ts";
import { testAuthority } from "./testing/certificates.ts";
import { configFor, failureOf } from "./testing/expectations.ts";
import { httpsServer, proxyServer } from "./testing/servers.ts";

const get = { method: "GET", path: "/", timeoutMs: 60_000 } as const;
const ca = await testAuthority();
const pair = await ca.issue("server", { names: ["kube.example"] });
const tls = { insecure: false, ca: { field: "ca", pem: new SecretString(ca.pem) } };

describe("a proxy", () => {
  test("tunnels to the server, whose name only it can resolve", async () => {
    await using server = await httpsServer(pair, (_, response) => void response.end("ok"));
    await using proxy = await proxyServer();
    const config = configFor(`https://kube.example:${server.port}`, {
      tls,
      proxy: { url: `http://me:secret@127.0.0.1:${proxy.port}`, from: "proxy-url" },
    });
    const transport = connect(config, { userAgent: "t" });
    expect(await (await transport.request(get)).text()).toBe("ok");
    expect(proxy.tunnels).toEqual([`kube.example:${server.port} Basic ${Buffer.from("me:secret").toString("base64")}`]);
    transport.close();
  });

  test("of the configuration counts, whatever the process's own variables say", async () => {
    await using server = await httpsServer(await ca.issue("server"), (_, response) => void response.end("ok"));
    await using proxy = await proxyServer();
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "127.0.0.0/8" };
    const { proxy: chosen } = loadConfig({ master: `https://127.0.0.1:${server.port}`, env });
    expect(chosen).toBeUndefined();
    const script = `
      const { connect } = await import(${JSON.stringify(`${import.meta.dir}/connect.ts`)});
      const config = { source: "t", server: "https://127.0.0.1:${server.port}", tls: { insecure: true }, credentials: { kind: "none" }, disableCompression: false };
      const transport = connect(config, { userAgent: "t" });
      console.log(await (await transport.request({ method: "GET", path: "/", timeoutMs: 60000 })).text());
      transport.close();`;
    const { NO_PROXY, ...proxyOnly } = env;
    const child = Bun.spawn([process.execPath, "-e", script], { env: { ...process.env, ...proxyOnly }, stdout: "pipe" });
    expect((await new Response(child.stdout).text()).trim()).toBe("ok");
    expect(proxy.tunnels).toEqual([]);
  });

  test("that refuses is named without its password", async () => {
    await using proxy = await proxyServer({ refuse: true });
    const config = configFor("https://kube.example", {
      tls,
      proxy: { url: `http://me:secret@127.0.0.1:${proxy.port}`, from: "HTTPS_PROXY" },
    });
    const error = await failureOf(connect(config, { userAgent: "t" }).request(get));
    expect([error.kind, error.message]).toEqual([
      "refused",
      `https://kube.example: no connection possible through the proxy http://127.0.0.1:${proxy.port} (HTTPS_PROXY): Proxy refused to open a tunnel: 407 Proxy Authentication Required`,
    ]);
  });

  test("that does not run is named", async () => {
    const config = configFor("https://kube.example", { tls, proxy: { url: "http://127.0.0.1:1", from: "proxy-url" } });
    const error = await failureOf(connect(config, { userAgent: "t" }).request(get));
    expect([error.kind, error.message]).toEqual([
      "refused",
      expect.stringContaining("connection refused through the proxy http://127.0.0.1:1 (proxy-url)"),
    ]);
  });
});
