// Builds etcd, kube-apiserver, kube-controller-manager and kubectl from the Go module proxy: `npm run envtest`.
// Minutes the first time, seconds when Go's build cache is warm.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { assetsCache, controlPlanePrograms, kubernetesVersion } from "../../packages/testcluster/real/assets.ts";

const packages: Record<(typeof controlPlanePrograms)[number], string> = {
  etcd: "go.etcd.io/etcd/server/v3",
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
  kubectl: "k8s.io/kubernetes/cmd/kubectl",
};

const [major, minor] = kubernetesVersion.slice(1).split(".");
const stamps = { gitVersion: kubernetesVersion, gitMajor: major, gitMinor: minor };
const ldflags = ["-s", "-w", ...Object.entries(stamps).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)].join(
  " ",
);

/** `-w` only omits DWARF when linking; not generating it saves a seventh of the build time. */
const withoutDwarf = "all=-dwarf=false";

function fail(message: string): never {
  console.error(`envtest: ${message}`);
  process.exit(1);
}

if (!readFileSync(join(import.meta.dirname, "go.mod"), "utf8").includes(`k8s.io/kubernetes ${kubernetesVersion}`)) {
  fail(`go.mod does not require k8s.io/kubernetes ${kubernetesVersion}`);
}
if (spawnSync("go", ["version"]).status !== 0) {
  fail("Go is not installed; install it, or set KUBEBUILDER_ASSETS to a folder with the programs");
}

const folder = assetsCache(process.env);
const missing = controlPlanePrograms.filter((program) => !existsSync(join(folder, program)));
if (missing.length > 0) {
  console.error(`envtest: building ${missing.join(", ")}`);
  mkdirSync(folder, { recursive: true });
  const built = mkdtempSync(join(folder, "build-"));
  // In one command what they share is compiled once, and one is linked while another is compiled.
  const build = spawnSync(
    "go",
    ["build", "-o", built, "-gcflags", withoutDwarf, "-ldflags", ldflags, ...missing.map((name) => packages[name])],
    {
      cwd: import.meta.dirname,
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  if (build.status === 0) for (const name of missing) renameSync(join(built, nameInGo(packages[name])), join(folder, name));
  rmSync(built, { recursive: true });
  if (build.status !== 0) fail("go build failed");
}
console.log(folder);

/** What `go build` calls the program of a package: its last element that is no version. */
function nameInGo(path: string): string {
  return basename(path.replace(/\/v\d+$/, ""));
}
