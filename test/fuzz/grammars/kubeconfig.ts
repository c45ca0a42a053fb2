import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../engine/random.ts";

/** A self-signed certificate. */
export const certificate = readFileSync(join(import.meta.dirname, "certificate.pem"), "utf8");

/** The credentials in generated files, none of which may ever be shown. */
export const secrets = {
  token: "t0ken-In-The-File",
  password: "p4ssword-In-The-File",
  file: "t0ken-In-Another-File",
  env: "v4lue-Of-A-Variable",
};

/** Words of kubeconfig files and of YAML. */
export const kubeconfigTokens: readonly [string, ...string[]] = [
  "\n",
  ": ",
  "- ",
  "  ",
  "\t",
  "&a ",
  "*a",
  "&a [*a]",
  "&a {b: *a}",
  "? ",
  "<<: *a",
  "|\n",
  ">-\n",
  "!!binary ",
  "!!set ",
  "!!map ",
  "!x ",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "{",
  "}",
  "[",
  "]",
  '"',
  "'",
  "#",
  "null",
  "true",
  "~",
  ".inf",
  "0x1",
  "1e400",
  "\0",
  "\ufeff",
  "__proto__: ",
  "constructor: ",
  "current-context: ",
  "clusters: ",
  "users: ",
  "exec: ",
  "server: http://",
  "https://[::1",
  "/",
  "proxy-url: ",
  "certificate-authority: ",
  "token: ",
];

/** The value of a kubeconfig file with one context of each kind of credentials. */
export function kubeconfig(random: Random): unknown {
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": random.chance(0.9) ? "main" : "other",
    contexts: [{ name: "main", context: { cluster: "one", user: "me", ...(random.chance(0.3) && { namespace: "kube-system" }) } }],
    clusters: [{ name: "one", cluster: cluster(random) }],
    users: [{ name: "me", user: user(random) }],
  };
}

function cluster(random: Random): unknown {
  return {
    server: random.pick([
      "https://10.0.0.1:6443",
      "https://api.example:443/base/",
      "http://127.0.0.1:8080",
      "10.0.0.1",
      "https://[::1]:6443",
    ]),
    ...random.pick<object>([
      {},
      { "certificate-authority": "ca.crt" },
      { "certificate-authority-data": Buffer.from(certificate).toString("base64") },
      { "insecure-skip-tls-verify": true },
    ]),
    ...(random.chance(0.2) && { "tls-server-name": "api.example" }),
    ...(random.chance(0.2) && { "proxy-url": `http://user:${secrets.password}@proxy.example:3128` }),
    ...(random.chance(0.2) && { "disable-compression": random.chance(0.5) }),
    ...(random.chance(0.2) && { extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "x" } }] }),
  };
}

function user(random: Random): unknown {
  return {
    ...random.pick<object>([
      {},
      { token: secrets.token },
      { tokenFile: "token" },
      { tokenFile: "/etc/kubernetes/token", token: secrets.token },
      { username: "admin", password: secrets.password },
      {
        exec: {
          apiVersion: random.pick(["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]),
          command: random.pick(["get-token", "./get-token"]),
          args: ["--cluster", "one"],
          env: [{ name: "TOKEN", value: secrets.env }],
          interactiveMode: random.pick(["Never", "IfAvailable", "Always"]),
          provideClusterInfo: random.chance(0.5),
        },
      },
      { "client-certificate": "ca.crt", "client-key-data": Buffer.from(secrets.token).toString("base64") },
      { "auth-provider": { name: "gcp" } },
    ]),
    ...(random.chance(0.2) && { as: "someone", "as-groups": ["g"], "as-user-extra": { scopes: ["a"] } }),
  };
}
