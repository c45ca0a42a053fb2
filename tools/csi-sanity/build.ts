// Builds csi-sanity, the conformance suite for CSI drivers, from the Go module proxy: `npm run csi-sanity:build`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { csiSanityPath, csiTestVersion } from "./location.ts";

function fail(message: string): never {
  console.error(`csi-sanity: ${message}`);
  process.exit(1);
}

if (!readFileSync(join(import.meta.dirname, "go.mod"), "utf8").includes(`github.com/kubernetes-csi/csi-test/v5 ${csiTestVersion}`)) {
  fail(`go.mod does not require github.com/kubernetes-csi/csi-test/v5 ${csiTestVersion}`);
}
if (spawnSync("go", ["version"]).status !== 0) fail("Go is not installed; install it, or set CSI_SANITY to a csi-sanity program");

const target = csiSanityPath(process.env);
if (!existsSync(target)) {
  mkdirSync(dirname(target), { recursive: true });
  // The flags of tools/envtest: what both use is compiled once.
  const build = spawnSync(
    "go",
    ["build", "-o", target, "-gcflags", "all=-dwarf=false", "-ldflags", "-s -w", "github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity"],
    { cwd: import.meta.dirname, stdio: ["ignore", "inherit", "inherit"] },
  );
  if (build.status !== 0) fail("go build failed");
}
console.log(target);
