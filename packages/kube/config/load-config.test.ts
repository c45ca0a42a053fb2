import { describe, expect, test } from "bun:test";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { testAuthority } from "../transport/testing/certificates.ts";
import { namespaceOf } from "./in-cluster.ts";
import { type LoadConfigOptions, loadConfig } from "./load-config.ts";
import { memoryFiles } from "./testing/memory-files.ts";

const ca = await testAuthority();
const pod = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };
const kubeconfigOf = (server: string) =>
  `{current-context: x, contexts: [{name: x, context: {cluster: c}}], clusters: [{name: c, cluster: {server: "${server}"}}]}`;
const files = memoryFiles({
  "/flag": kubeconfigOf("https://flag"),
  "/env": kubeconfigOf("https://env"),
  "/sa/token": "t",
  "/sa/ca.crt": ca.pem,
  "/no-ca/token": "t",
  "/no-ca/ca.crt": "rubbish",
  "/sa/namespace": "kube-system\n",
});

describe("source of the configuration", () => {
  const env = { ...pod, KUBECONFIG: "/env" };
  const cases: readonly [string, LoadConfigOptions, string][] = [
    ["flag", { kubeconfig: "/flag", env: pod }, "https://flag"],
    ["flag before variable", { kubeconfig: "/flag", env }, "https://flag"],
    ["variable without flag", { env }, "https://env"],
    ["variable before flag, as the provisioner has it", { kubeconfig: "/flag", env, kubeconfigVariable: "override" }, "https://env"],
    ["flag, where the variable is empty", { kubeconfig: "/flag", env: { KUBECONFIG: "" }, kubeconfigVariable: "override" }, "https://flag"],
    ["variable ignored", { env, kubeconfigVariable: "ignore" }, "https://10.96.0.1:443"],
    ["address alone", { master: "http://master:8080", env: pod }, "http://master:8080"],
    ["address over a file", { master: "https://master", kubeconfig: "/flag", env: pod }, "https://master"],
    ["pod", { env: pod }, "https://10.96.0.1:443"],
    ["pod with IPv6", { env: { ...pod, KUBERNETES_SERVICE_HOST: "fd00::1" } }, "https://[fd00::1]:443"],
  ];
  test.each(cases)("%s", (_, options, server) => {
    expect(loadConfig({ serviceAccountDirectory: "/sa", files, ...options }).server).toBe(server);
  });
});

describe("service account of the pod", () => {
  test("token and authority come from files that may change", () => {
    expect(loadConfig({ env: pod, files, serviceAccountDirectory: "/sa" })).toMatchObject({
      credentials: { kind: "tokenFile", file: "/sa/token" },
      tls: { ca: { file: "/sa/ca.crt", optional: true }, insecure: false },
    });
  });

  test("a broken authority is logged, not fatal", () => {
    const log = recordingLogger();
    loadConfig({ env: pod, files, log, serviceAccountDirectory: "/no-ca" });
    expect(log.lines.map(({ severity, error }) => [severity, String(error)])).toEqual([
      ["error", expect.stringContaining("/no-ca/ca.crt: holds no certificate")],
    ]);
  });
});

test.each([
  ["variable", { POD_NAMESPACE: "storage" }, "/sa", "storage"],
  ["service account", {}, "/sa", "kube-system"],
  ["neither", { POD_NAMESPACE: "" }, "/gone", "default"],
])("namespace: %s", (_, env, directory, expected) => {
  expect(namespaceOf(env, files, directory)).toBe(expected);
});
