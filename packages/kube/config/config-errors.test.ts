import { describe, expect, spyOn, test } from "bun:test";
import { testAuthority } from "../transport/testing/certificates.ts";
import { ConfigError } from "./config-fields.ts";
import { type LoadConfigOptions, loadConfig } from "./load-config.ts";
import { memoryFiles } from "./testing/memory-files.ts";

const ca = await testAuthority();
const client = await ca.issue("client");
const stranger = await ca.issue("stranger");
const data = (pem: string) => Buffer.from(pem).toString("base64");
const broken = "-----BEGIN CERTIFICATE-----\nMIIBAAAA\n-----END CERTIFICATE-----\n";

const K = 'kubeconfig "/k"';
const U = `${K}: users["u"].user`;
const C = `${K}: clusters["c"].cluster`;

function messageOf(
  options: Omit<LoadConfigOptions, "env"> & { env?: Record<string, string> },
  content: Record<string, string | Error> = {},
): string {
  try {
    loadConfig({ env: {}, ...options, files: memoryFiles(content) });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error("loadConfig did not fail");
}

const denied = Object.assign(new Error("EACCES"), { code: "EACCES" });

describe("a kubeconfig that cannot be read", () => {
  const cases: readonly [string, string | Error | undefined, string][] = [
    ["missing", undefined, "kubeconfig: /k: file not found; check --kubeconfig"],
    ["unreadable", denied, "kubeconfig: /k: permission denied; check --kubeconfig"],
    ["empty", " \n", `${K}: is empty; check --kubeconfig`],
    ["not a mapping", "hello", `${K}: is not a kubeconfig; check --kubeconfig`],
    [
      "not YAML, with a secret in the bad line",
      "a:\n  token: 'sec\nret\n",
      `${K}: is not valid YAML at line 4, column 1 (MISSING_CHAR); correct the file`,
    ],
    [
      "an alias to what contains it",
      "contexts: [{name: &a [*a]}]",
      `${K}: is not valid YAML (an alias to what contains it); correct the file`,
    ],
    [
      "an alias to what contains it, where nothing is checked",
      "clusters: [{name: c, cluster: {server: 'https://a', extensions: [{extension: &a [*a]}]}}]",
      `${K}: is not valid YAML (an alias to what contains it); correct the file`,
    ],
    [
      "nested too deeply",
      `clusters:\n  - ${"a: ".repeat(20_000)}\nusers: []\n`,
      `${K}: is not valid YAML (nested too deeply); correct the file`,
    ],
    [
      "no current-context",
      "contexts: [{name: a}, {name: b}]",
      `${K}: current-context: is not set; set it with "kubectl config use-context" to one of "a", "b"`,
    ],
    ["unknown context", "current-context: x\ncontexts: [{name: a}]", `${K}: current-context: "x" is not in contexts; there are "a"`],
    ["no contexts", "current-context: x", `${K}: current-context: "x" is not in contexts; the list is empty`],
    ["contexts is no list", "current-context: x\ncontexts: {}", `${K}.contexts: must be a list`],
    ["context without cluster", "current-context: x\ncontexts: [{name: x}]", `${K}: contexts["x"].context.cluster: is not set`],
    [
      "unknown cluster",
      "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]",
      `${K}: contexts["x"].context.cluster: "c" is not in clusters; the list is empty`,
    ],
    [
      "unknown user",
      "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: 'https://a'}}]\nusers: [{name: v}]",
      `${K}: contexts["x"].context.user: "u" is not in users; there are "v"`,
    ],
  ];
  test.each(cases)("%s", (_, content, message) => {
    expect(messageOf({ kubeconfig: "/k" }, content === undefined ? {} : { "/k": content })).toBe(message);
  });

  test("a key that is no text is never printed", () => {
    const warnings: string[] = [];
    const emitWarning = spyOn(process, "emitWarning").mockImplementation((warning) => void warnings.push(String(warning)));
    try {
      messageOf({ kubeconfig: "/k" }, { "/k": "? {token: secret}\n: x\n" });
    } finally {
      emitWarning.mockRestore();
    }
    expect(warnings).toEqual([]);
  });

  test("unknown context of --context", () => {
    expect(messageOf({ kubeconfig: "/k", context: "y" }, { "/k": "contexts: [{name: a}]" })).toBe(
      `${K}: --context: "y" is not in contexts; there are "a"`,
    );
  });

  test("a list in KUBECONFIG", () => {
    expect(messageOf({ env: { KUBECONFIG: "/a:/b" } })).toBe(
      "kubeconfig: /a:/b: file not found; check KUBECONFIG, which must name one file",
    );
  });
});

const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "x", interactiveMode: "Never" };
const cert = data(client.cert);

describe("a kubeconfig with a mistake in it", () => {
  const cases: readonly [string, object, object, string][] = [
    ["no server", { server: "" }, {}, `${C}.server: is not set; give the API server's URL, like https://10.0.0.1:6443`],
    ["server of another scheme", { server: "ftp://a" }, {}, `${C}.server: must be a URL or a host:port pair, like https://10.0.0.1:6443`],
    [
      "password in the server",
      { server: "https://u:secret@a" },
      {},
      `${C}.server: must not hold a user name or password; put them into a kubeconfig's users`,
    ],
    ["server that is no text", { server: 5 }, {}, `${C}.server: must be a string; put the value in quotes`],
    [
      "flag that is text",
      { "insecure-skip-tls-verify": "yes" },
      {},
      `${C}.insecure-skip-tls-verify: must be true or false, without quotes`,
    ],
    [
      "authority and no verification",
      { "insecure-skip-tls-verify": true, "certificate-authority-data": data(ca.pem) },
      {},
      `${C}: insecure-skip-tls-verify and a certificate-authority exclude each other; remove one of them`,
    ],
    [
      "authority file missing",
      { "certificate-authority": "ca" },
      {},
      `${C}.certificate-authority: /ca: file not found; name the cluster's CA certificate`,
    ],
    [
      "authority not base64",
      { "certificate-authority-data": "%%" },
      {},
      `${C}.certificate-authority-data: is not valid base64; encode the file with "base64 -w0"`,
    ],
    [
      "authority not PEM",
      { "certificate-authority-data": data("x") },
      {},
      `${C}.certificate-authority-data: holds no certificate; it must be PEM text with "-----BEGIN CERTIFICATE-----"`,
    ],
    [
      "authority damaged",
      { "certificate-authority-data": data(broken) },
      {},
      `${C}.certificate-authority-data: the certificate cannot be parsed; it is damaged or was cut off`,
    ],
    [
      "proxy of another scheme",
      { "proxy-url": "ftp://u:secret@a" },
      {},
      `${C}.proxy-url: "ftp://a" is not a proxy URL; use http://host:port or https://host:port`,
    ],
    ...["socks5", "socks5h"].map((scheme): [string, object, object, string] => [
      `proxy of the kind ${scheme}`,
      { "proxy-url": `${scheme}://me:secret@proxy:1080` },
      {},
      `${C}.proxy-url: "${scheme}://proxy:1080" is a SOCKS proxy, which is not supported; use http://host:port or https://host:port`,
    ]),
    ...["http://user:se/secret@proxy", "user:secret@proxy:3128", "secret"].map((url): [string, object, object, string] => [
      `proxy that is no URL, ${url}`,
      { "proxy-url": url },
      {},
      `${C}.proxy-url: is not a proxy URL; use http://host:port or https://host:port`,
    ]),
    ...["a\0b", "a b", "ä", ".example", "."].map((name): [string, object, object, string] => [
      `server name that no certificate has, ${JSON.stringify(name)}`,
      { "tls-server-name": name },
      {},
      `${C}.tls-server-name: is not a host name; give the name in the server's certificate`,
    ]),
    ["token that is a number", {}, { token: 123 }, `${U}.token: must be a string; put the value in quotes`],
    [
      "token with a line break",
      {},
      { token: "sec\nret" },
      `${U}.token: holds characters that no token has (line breaks, non-ASCII); copy it again`,
    ],
    ["token file missing", {}, { tokenFile: "/t" }, `${U}.tokenFile: /t: file not found; name a readable file that holds a bearer token`],
    ["token file empty", {}, { tokenFile: "/empty" }, `${U}.tokenFile: /empty: is empty; it must hold a bearer token`],
    [
      "token file with more than a token",
      {},
      { tokenFile: "/two" },
      `${U}.tokenFile: /two: holds characters that no token has; it must hold a bearer token and nothing else`,
    ],
    ["token and password", {}, { token: "t", password: "p" }, `${U}: token and username/password exclude each other; remove one of them`],
    [
      "certificate without key",
      {},
      { "client-certificate-data": cert },
      `${U}: client-certificate without its key; set client-key or client-key-data`,
    ],
    [
      "key without certificate",
      {},
      { "client-key-data": data(client.key) },
      `${U}: client-key without a certificate; set client-certificate or client-certificate-data`,
    ],
    [
      "key of another pair",
      {},
      { "client-certificate-data": cert, "client-key-data": data(stranger.key) },
      `${U}.client-key-data: is not the key of the certificate in ${U}.client-certificate-data; give the two files of one pair`,
    ],
    [
      "key that is none",
      {},
      { "client-certificate-data": cert, "client-key-data": data("x") },
      `${U}.client-key-data: holds no usable private key; it must be unencrypted PEM text with "-----BEGIN ... PRIVATE KEY-----"`,
    ],
    [
      "certificate file damaged",
      {},
      { "client-certificate": "/broken", "client-key-data": data(client.key) },
      `${U}.client-certificate: /broken: the certificate cannot be parsed; it is damaged or was cut off`,
    ],
    [
      "another certificate after the client's damaged",
      {},
      { "client-certificate-data": data(client.cert + broken), "client-key-data": data(client.key) },
      `${U}.client-certificate-data: the certificate cannot be parsed; it is damaged or was cut off`,
    ],
    [
      "auth-provider",
      {},
      { "auth-provider": { name: "gcp" } },
      `${U}.auth-provider: is no longer supported by Kubernetes; use the provider's exec plugin (users[].user.exec) or a token`,
    ],
    [
      "exec of an unknown version",
      {},
      { exec: { ...exec, apiVersion: "client.authentication.k8s.io/v1alpha1" } },
      `${U}.exec.apiVersion: exec plugin: invalid apiVersion "client.authentication.k8s.io/v1alpha1"; use client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1`,
    ],
    [
      "exec without version",
      {},
      { exec: { command: "x" } },
      `${U}.exec.apiVersion: is not set; use client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1`,
    ],
    [
      "exec without command",
      {},
      { exec: { apiVersion: exec.apiVersion } },
      `${U}.exec.command: is not set; name the program that prints the credentials`,
    ],
    [
      "exec v1 without interactiveMode",
      {},
      { exec: { ...exec, interactiveMode: undefined } },
      `${U}.exec.interactiveMode: is not set; use Never, IfAvailable, Always`,
    ],
    [
      "exec with an unknown interactiveMode",
      {},
      { exec: { ...exec, interactiveMode: "Maybe" } },
      `${U}.exec.interactiveMode: "Maybe" is unknown; use Never, IfAvailable, Always`,
    ],
    ["exec environment without name", {}, { exec: { ...exec, env: [{ value: "secret" }] } }, `${U}.exec.env[].name: is not set`],
    [
      "exec arguments that are numbers",
      {},
      { exec: { ...exec, args: [1] } },
      `${U}.exec.args: must be a list of strings; put each value in quotes`,
    ],
    [
      "groups without user to act as",
      {},
      { "as-groups": ["g"] },
      `${U}: as-uid, as-groups and as-user-extra need a user to act as; set "as"`,
    ],
    [
      "user to act as with a line break",
      {},
      { as: "a\nb" },
      `${U}: the values of as, as-uid, as-groups and as-user-extra must be plain ASCII text`,
    ],
    ["user that is a list", {}, [], `${U}: must be a mapping of fields to values`],
  ];
  test.each(cases)("%s", (_, cluster, user, message) => {
    const content = JSON.stringify({
      "current-context": "x",
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: "https://a", ...cluster } }],
      users: [{ name: "u", user }],
    });
    const actual = messageOf({ kubeconfig: "/k" }, { "/k": content, "/empty": "\n", "/two": "a\nb\n", "/broken": broken });
    expect(actual).toBe(message);
    expect(actual).not.toContain("secret");
  });
});

describe("other sources", () => {
  test("--master that is no address", () => {
    expect(messageOf({ master: "a b" })).toBe("--master: must be a URL or a host:port pair, like https://10.0.0.1:6443");
  });

  test("an explicit file that failed is not replaced by the pod's service account", () => {
    expect(messageOf({ kubeconfig: "/k", env: { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" } })).toStartWith(
      "kubeconfig: /k:",
    );
  });

  test("no cluster around us", () => {
    expect(messageOf({ env: { KUBERNETES_SERVICE_HOST: "10.0.0.1" } })).toStartWith(
      "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined",
    );
  });

  test("no token in the pod", () => {
    expect(
      messageOf({ env: { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" }, serviceAccountDirectory: "/sa" }),
    ).toBe("in-cluster configuration: /sa/token: file not found; check that automountServiceAccountToken is not off");
  });

  test("a service address that is none", () => {
    expect(messageOf({ env: { KUBERNETES_SERVICE_HOST: "a b", KUBERNETES_SERVICE_PORT: "443" } })).toBe(
      'in-cluster configuration: KUBERNETES_SERVICE_HOST="a b" and KUBERNETES_SERVICE_PORT="443" make no address',
    );
  });

  test("a proxy variable that is no URL hides its password", () => {
    expect(messageOf({ master: "https://a", env: { HTTPS_PROXY: "ftp://me:secret@proxy" } })).toBe(
      'HTTPS_PROXY: "ftp://proxy" is not a proxy URL; use http://host:port or https://host:port',
    );
  });
});
