import { expect, test } from "bun:test";
import { proxyFromEnvironment } from "./proxy.ts";

const P = "http://proxy:3128";

const cases: readonly [string, string, Record<string, string>, string | undefined][] = [
  ["https", "https://kube.example", { HTTPS_PROXY: P, HTTP_PROXY: "http://other" }, P],
  ["http", "http://kube.example", { HTTPS_PROXY: "http://other", HTTP_PROXY: P }, P],
  ["lower case", "https://kube.example", { https_proxy: P }, P],
  ["without scheme", "https://kube.example", { HTTPS_PROXY: "proxy:3128" }, P],
  ["none", "https://kube.example", {}, undefined],
  ["loopback name", "https://localhost:6443", { HTTPS_PROXY: P }, undefined],
  ["loopback address", "https://127.0.0.9:6443", { HTTPS_PROXY: P }, undefined],
  ["loopback IPv6", "https://[::1]:6443", { HTTPS_PROXY: P }, undefined],
  ["everything exempt", "https://kube.example", { HTTPS_PROXY: P, NO_PROXY: "*" }, undefined],
  ["host exempt", "https://kube.example", { HTTPS_PROXY: P, NO_PROXY: "a, Kube.Example" }, undefined],
  ["subdomain of an exempt host", "https://api.kube.example", { HTTPS_PROXY: P, no_proxy: "kube.example" }, undefined],
  ["only the same ending", "https://notkube.example", { HTTPS_PROXY: P, NO_PROXY: "kube.example" }, P],
  ["suffix", "https://api.kube.example", { HTTPS_PROXY: P, NO_PROXY: ".kube.example" }, undefined],
  ["suffix with star", "https://api.kube.example", { HTTPS_PROXY: P, NO_PROXY: "*.kube.example" }, undefined],
  ["suffix is not the host itself", "https://kube.example", { HTTPS_PROXY: P, NO_PROXY: ".kube.example" }, P],
  ["port", "https://kube.example:6443", { HTTPS_PROXY: P, NO_PROXY: "kube.example:6443" }, undefined],
  ["default port", "https://kube.example", { HTTPS_PROXY: P, NO_PROXY: "kube.example:443" }, undefined],
  ["another port", "https://kube.example:6443", { HTTPS_PROXY: P, NO_PROXY: "kube.example:443" }, P],
  ["address", "https://10.0.0.1", { HTTPS_PROXY: P, NO_PROXY: "10.0.0.1" }, undefined],
  ["address with port", "https://10.0.0.1:6443", { HTTPS_PROXY: P, NO_PROXY: "10.0.0.1:6443" }, undefined],
  ["block", "https://10.96.0.1", { HTTPS_PROXY: P, NO_PROXY: "10.96.0.0/12" }, undefined],
  ["outside the block", "https://10.112.0.1", { HTTPS_PROXY: P, NO_PROXY: "10.96.0.0/12" }, P],
  ["name against a block", "https://kube.example", { HTTPS_PROXY: P, NO_PROXY: "0.0.0.0/0" }, P],
  ["IPv6 block", "https://[fd00::5]:6443", { HTTPS_PROXY: P, NO_PROXY: "fd00::/8" }, undefined],
  ["IPv6 address in another spelling", "https://[fd00::5]", { HTTPS_PROXY: P, NO_PROXY: "fd00:0::5" }, undefined],
  ["IPv6 address with port", "https://[fd00::5]:6443", { HTTPS_PROXY: P, NO_PROXY: "[fd00::5]:6443" }, undefined],
  ["rubbish", "https://10.0.0.1", { HTTPS_PROXY: P, NO_PROXY: "10.0.0.0/99,/,:,[" }, P],
];

test.each(cases)("%s", (_, server, env, expected) => {
  expect(proxyFromEnvironment(server, env)?.url).toBe(expected);
});
