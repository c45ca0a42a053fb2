// Builds helm from the Go module proxy: `npm run helm:build`. Two minutes the first time, then it is in the user's cache.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { helmPath, helmVersion } from "./location.ts";

function fail(message: string): never {
  console.error(`helm: ${message}`);
  process.exit(1);
}

if (!readFileSync(join(import.meta.dirname, "go.mod"), "utf8").includes(`helm.sh/helm/v3 ${helmVersion}`)) {
  fail(`go.mod does not require helm.sh/helm/v3 ${helmVersion}`);
}
if (spawnSync("go", ["version"]).status !== 0) fail("Go is not installed; install it, or set HELM to a helm program");

const target = helmPath(process.env);
if (!existsSync(target)) {
  mkdirSync(dirname(target), { recursive: true });
  const built = `${target}.${process.pid}`;
  // What the project's own builds are stamped with; without a cluster, charts are rendered for this Kubernetes.
  const stamps = {
    "internal/version.version": helmVersion,
    "pkg/chartutil.k8sVersionMajor": "1",
    "pkg/chartutil.k8sVersionMinor": "37",
  };
  const ldflags = ["-s", "-w", ...Object.entries(stamps).map(([name, value]) => `-X helm.sh/helm/v3/${name}=${value}`)].join(" ");
  const build = spawnSync("go", ["build", "-o", built, "-gcflags", "all=-dwarf=false", "-ldflags", ldflags, "helm.sh/helm/v3/cmd/helm"], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (build.status !== 0) fail("go build failed");
  // Whole or not at all, whoever else builds it.
  renameSync(built, target);
}
console.log(target);
