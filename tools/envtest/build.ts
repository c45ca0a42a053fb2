// Builds etcd, kube-apiserver, kube-controller-manager and kubectl from the Go module proxy: `npm run envtest`.
// Minutes the first time, seconds when Go's build cache is warm.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
mkdirSync(folder, { recursive: true });
for (const program of controlPlanePrograms) {
  const target = join(folder, program);
  if (existsSync(target)) continue;
  console.error(`envtest: building ${program}`);
  const build = spawnSync("go", ["build", "-o", target, "-ldflags", ldflags, packages[program]], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (build.status !== 0) fail(`go build of ${program} failed`);
}
console.log(folder);
