import { describe, expect, test } from "bun:test";
import { inheritedNames, withInheritedNames } from "@csi-sidecars/base/testing";
import { testAuthority } from "../transport/testing/certificates.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { loadConfig } from "./load-config.ts";
import { memoryFiles } from "./testing/memory-files.ts";

const ca = await testAuthority();
const client = await ca.issue("client");
const data = (pem: string) => Buffer.from(pem).toString("base64");

const path = "/etc/kube/config";
const files = {
  "/etc/kube/pki/ca.crt": ca.pem,
  "/etc/kube/pki/client.crt": client.cert,
  "/etc/kube/pki/client.key": client.key,
  "/etc/kube/token": "from-file\n",
};

/** A kubeconfig with one context; the arguments are the bodies of its cluster and its user. */
function kubeconfig(cluster: object, user: object = {}, context: object = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "here",
    contexts: [{ name: "here", context: { cluster: "c", user: "u", ...context } }],
    clusters: [{ name: "c", cluster: { server: "https://10.0.0.1:6443", ...cluster } }],
    users: [{ name: "u", user }],
  });
}

function load(content: string, options: { master?: string; context?: string; env?: Record<string, string> } = {}): ClusterConfig {
  return loadConfig({ kubeconfig: path, env: {}, ...options, files: memoryFiles({ ...files, [path]: content }) });
}

describe("credentials of a kubeconfig user", () => {
  const cases: readonly [string, object, (config: ClusterConfig) => void][] = [
    ["nothing", {}, ({ credentials }) => expect(credentials).toEqual({ kind: "none" })],
    [
      "token",
      { token: "secret" },
      ({ credentials }) => {
        expect(credentials.kind).toBe("token");
        if (credentials.kind === "token") expect(credentials.token.reveal()).toBe("secret");
      },
    ],
    [
      "token file beside the kubeconfig",
      { tokenFile: "token" },
      ({ credentials }) => expect(credentials).toEqual({ kind: "tokenFile", file: "/etc/kube/token" }),
    ],
    [
      "token and a token file that is not there yet",
      { token: "fallback", tokenFile: "/later" },
      ({ credentials }) => {
        expect(credentials).toMatchObject({ kind: "tokenFile", file: "/later" });
        if (credentials.kind === "tokenFile") expect(credentials.fallback?.reveal()).toBe("fallback");
      },
    ],
    [
      "user name and password",
      { username: "me", password: "pw" },
      ({ credentials }) => expect(credentials).toMatchObject({ kind: "basic", username: "me" }),
    ],
    [
      "client certificate files beside the kubeconfig",
      { "client-certificate": "pki/client.crt", "client-key": "pki/client.key" },
      ({ tls }) =>
        expect(tls.clientCertificate).toMatchObject({
          cert: { file: "/etc/kube/pki/client.crt" },
          key: { file: "/etc/kube/pki/client.key" },
        }),
    ],
    [
      "client certificate data wins over the file",
      {
        "client-certificate": "gone",
        "client-key": "gone",
        "client-certificate-data": data(client.cert),
        "client-key-data": data(client.key),
      },
      ({ tls }) => {
        const cert = tls.clientCertificate?.cert;
        expect(cert && "pem" in cert && cert.pem.reveal()).toBe(client.cert);
      },
    ],
    [
      "exec plugin by name, old version, is looked up in PATH and interactive if it can be",
      { exec: { apiVersion: "client.authentication.k8s.io/v1beta1", command: "aws", args: ["token"], env: [{ name: "A", value: "1" }] } },
      ({ credentials }) =>
        expect(credentials).toEqual({
          kind: "exec",
          plugin: {
            apiVersion: "client.authentication.k8s.io/v1beta1",
            command: "aws",
            args: ["token"],
            env: { A: "1" },
            interactiveMode: "IfAvailable",
          },
        }),
    ],
    [
      "exec plugin by path lies beside the kubeconfig",
      {
        exec: { apiVersion: "client.authentication.k8s.io/v1", command: "bin/login", interactiveMode: "Never", installHint: "install it" },
      },
      ({ credentials }) => expect(credentials).toMatchObject({ plugin: { command: "/etc/kube/bin/login", installHint: "install it" } }),
    ],
    [
      "exec plugin is not asked where a certificate is configured",
      {
        "client-certificate": "pki/client.crt",
        "client-key": "pki/client.key",
        exec: { apiVersion: "client.authentication.k8s.io/v1", command: "x", interactiveMode: "Never" },
      },
      ({ credentials }) => expect(credentials).toEqual({ kind: "none" }),
    ],
    [
      "names that every object inherits, in the environment of an exec plugin",
      {
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: "aws",
          interactiveMode: "Never",
          env: inheritedNames.map((name) => ({ name, value: "given" })),
        },
      },
      ({ credentials }) => expect(credentials).toMatchObject({ plugin: { env: withInheritedNames("given") } }),
    ],
    [
      "names that every object inherits, in an impersonation",
      { as: "jane", "as-user-extra": withInheritedNames(["a"]) },
      ({ impersonate }) => expect(impersonate).toEqual({ user: "jane", groups: [], extra: withInheritedNames(["a"]) }),
    ],
    [
      "impersonation",
      { as: "jane", "as-uid": "7", "as-groups": ["dev"], "as-user-extra": { scope: ["a"] } },
      ({ impersonate }) => expect(impersonate).toEqual({ user: "jane", uid: "7", groups: ["dev"], extra: { scope: ["a"] } }),
    ],
  ];
  test.each(cases)("%s", (_, user, check) => check(load(kubeconfig({}, user))));

  test("are not read for a server without TLS", () => {
    const config = load(kubeconfig({ server: "http://10.0.0.1:8080" }, { token: "secret", "client-certificate": "gone", as: "jane" }));
    expect(config).toMatchObject({ server: "http://10.0.0.1:8080", credentials: { kind: "none" }, tls: { insecure: false } });
    expect(config.tls.clientCertificate ?? config.impersonate).toBeUndefined();
  });

  test("do not show when the configuration is printed", () => {
    const config = load(
      kubeconfig(
        {},
        { username: "me", password: "pass-word", "client-certificate": "pki/client.crt", "client-key-data": data(client.key) },
      ),
    );
    for (const printed of [JSON.stringify(config), Bun.inspect(config, { depth: 9 })]) {
      expect(printed).not.toContain("pass-word");
      expect(printed).not.toContain("PRIVATE KEY");
    }
  });
});

describe("cluster of a kubeconfig", () => {
  const cases: readonly [string, object, object][] = [
    [
      "authority file beside the kubeconfig",
      { "certificate-authority": "pki/ca.crt" },
      { tls: { ca: { file: "/etc/kube/pki/ca.crt" }, insecure: false } },
    ],
    [
      "authority data wins over the file",
      { "certificate-authority": "gone", "certificate-authority-data": data(ca.pem) },
      { tls: { ca: { pem: {} } } },
    ],
    ["no verification", { "insecure-skip-tls-verify": true }, { tls: { insecure: true } }],
    ["another server name", { "tls-server-name": "kube.example" }, { tls: { serverName: "kube.example" } }],
    ["a proxy", { "proxy-url": "http://proxy:3128" }, { proxy: { url: "http://proxy:3128" } }],
    ["no compression", { "disable-compression": true }, { disableCompression: true }],
    ["a path below which the API lies", { server: "https://rancher/k8s/clusters/c-1/" }, { server: "https://rancher/k8s/clusters/c-1" }],
    ["IPv6", { server: "https://[fd00::1]:6443" }, { server: "https://[fd00::1]:6443" }],
    ["host and port without scheme", { server: "10.0.0.1:8080" }, { server: "http://10.0.0.1:8080" }],
    [
      "host and port without scheme, with TLS",
      { server: "10.0.0.1:6443", "certificate-authority": "pki/ca.crt" },
      { server: "https://10.0.0.1:6443" },
    ],
  ];
  test.each(cases)("%s", (_, cluster, expected) => expect(load(kubeconfig(cluster))).toMatchObject(expected));

  test("is told to a plugin that asks for it", () => {
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "x", interactiveMode: "Never", provideClusterInfo: true };
    const extensions = [{ name: "client.authentication.k8s.io/exec", extension: { audience: "a" } }];
    const { credentials } = load(kubeconfig({ "certificate-authority": "pki/ca.crt", "tls-server-name": "n", extensions }, { exec }));
    expect(credentials).toMatchObject({
      plugin: {
        cluster: {
          server: "https://10.0.0.1:6443",
          "tls-server-name": "n",
          "certificate-authority-data": data(ca.pem),
          config: { audience: "a" },
        },
      },
    });
  });
});

describe("choices", () => {
  test("--master replaces only the address", () => {
    const config = load(kubeconfig({ "tls-server-name": "n" }, { token: "t" }), { master: "https://other:1" });
    expect(config).toMatchObject({ server: "https://other:1", tls: { serverName: "n" }, credentials: { kind: "token" } });
  });

  test("another context, with its namespace, in YAML", () => {
    const yaml = `
current-context: a
contexts:
- {name: a, context: {cluster: a}}
- {name: b, context: {cluster: b, namespace: work}}
clusters:
- {name: a, cluster: {server: "https://a"}}
- {name: b, cluster: {server: "https://b"}}
`;
    expect(load(yaml)).toMatchObject({ server: "https://a", source: 'kubeconfig "/etc/kube/config", context "a"' });
    expect(load(yaml, { context: "b" })).toMatchObject({ server: "https://b", namespace: "work" });
  });

  test("the proxy of the environment, unless the cluster has its own", () => {
    const env = { HTTPS_PROXY: "http://env:1" };
    expect(load(kubeconfig({}), { env }).proxy).toEqual({ url: "http://env:1", from: "HTTPS_PROXY" });
    expect(load(kubeconfig({ "proxy-url": "http://own:1" }), { env }).proxy?.url).toBe("http://own:1");
  });
});
