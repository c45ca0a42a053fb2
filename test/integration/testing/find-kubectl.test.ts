import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findKubectl } from "./find-kubectl.ts";

const folder = mkdtempSync(join(tmpdir(), "find-kubectl-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const kubectl = join(folder, "kubectl");
const env = { KUBEBUILDER_ASSETS: join(folder, "none"), PATH: folder };
const version = (gitVersion: string) => `echo '{"clientVersion": {"gitVersion": "${gitVersion}"}}'`;

test.each([
  ["none", undefined, { missing: "no kubectl in KUBEBUILDER_ASSETS, the envtest cache or the PATH" }],
  ["a new one", version("v1.36.3"), { path: kubectl }],
  ["the oldest that will do", version("v1.30.0"), { path: kubectl }],
  ["a vendor's", version("v1.32.4-dispatcher"), { path: kubectl }],
  ["Debian's", version("v1.20.5+really1.20.2"), { missing: `${kubectl} is v1.20.5+really1.20.2, the tests need v1.30 or newer` }],
  ["one that does not work", "exit 1", { missing: `${kubectl} is of unknown version, the tests need v1.30 or newer` }],
])("%s", (_, script, found) => {
  if (script !== undefined) writeFileSync(kubectl, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  expect(findKubectl(env)).toEqual(found);
});
