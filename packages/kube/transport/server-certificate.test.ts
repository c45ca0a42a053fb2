import { expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { checkServerName, serverNameIndication } from "./server-certificate.ts";
import { testAuthority } from "./testing/certificates.ts";

const ca = await testAuthority();

// As crypto/x509 of Go judges them, but for a name with a leading dot.
test.each<[san: string, name: string, accepted: boolean]>([
  ["kube.example", "kube.example", true],
  ["kube.example", "KUBE.Example.", true],
  ["kube.example", "a.kube.example", false],
  ["*.kube.example", "a.kube.example", true],
  ["*.kube.example", "A.Kube.example.", true],
  ["*.kube.example", "xn--bcher-kva.kube.example", true],
  ["*.kube.example", "a.b.kube.example", false],
  ["*.kube.example", "kube.example", false],
  ["*.example", "kube.example", true],
  ["*.Example", "kube.example", true],
  ["*.example", "a.kube.example", false],
  ["*.example", "example", false],
  ["*", "kube", false],
  ["a*.kube.example", "ab.kube.example", false],
  ["*.kube.example", ".kube.example", false],
  ["*.example", ".example", false],
  ["kube.example", ".example", false],
  ["a, DNS:*.example", "kube.example", false],
  ["a, DNS:*.example, b", "kube.example", false],
  ["*.0.0.1", "127.0.0.1", false],
])("a certificate for %s and the name %s: %p", async (san, name, accepted) => {
  const { cert } = await ca.issue("kube.example", { names: [san] });
  expect(checkServerName(name, new X509Certificate(cert)) === undefined).toBe(accepted);
});

test.each([
  ["kube.example", "kube.example"],
  ["kube.example.", "kube.example"],
  ["127.0.0.1", ""],
  ["127.0.0.1.", ""],
  ["::1", ""],
])("for the name %s the server name indication is %p", (name, indication) => {
  expect(serverNameIndication(name)).toBe(indication);
});
