// Builds the programs of a Kubernetes node and upstream's end-to-end suite from the Go module proxy: `npm run e2e:build`.
// Ten minutes the first time, seconds when Go's build cache is warm.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { kubernetesVersion } from "../../packages/testcluster/real/assets.ts";
import { missingNodePrograms, nodePrograms, nodeProgramsFolder } from "./location.ts";

const packages: Record<(typeof nodePrograms)[number], string> = {
  kubelet: "k8s.io/kubernetes/cmd/kubelet",
  "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
  agnhost: "k8s.io/kubernetes/test/images/agnhost",
  ginkgo: "github.com/onsi/ginkgo/v2/ginkgo",
  "e2e.test": "k8s.io/kubernetes/test/e2e",
};

const [major, minor] = kubernetesVersion.slice(1).split(".");
const stamps = { gitVersion: kubernetesVersion, gitMajor: major, gitMinor: minor };
// kubelet reports the version of component-base, the suite compares that of client-go with the server's.
const stamped = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"];
const ldflags = stamped.flatMap((path) => Object.entries(stamps).map(([name, value]) => `-X ${path}.${name}=${value}`));
// The compiler's flags of tools/envtest: what both use is compiled once.
const flags = ["-gcflags", "all=-dwarf=false", "-ldflags", ["-s", "-w", ...ldflags].join(" ")];

function fail(message: string): never {
  console.error(`kubernetes-e2e: ${message}`);
  process.exit(1);
}

function go(args: readonly string[]): void {
  const run = spawnSync("go", args, { cwd: import.meta.dirname, stdio: ["ignore", "inherit", "inherit"] });
  if (run.status !== 0) fail(`go ${args[0]} failed`);
}

if (!readFileSync(join(import.meta.dirname, "go.mod"), "utf8").includes(`k8s.io/kubernetes ${kubernetesVersion}`)) {
  fail(`go.mod does not require k8s.io/kubernetes ${kubernetesVersion}`);
}

const folder = nodeProgramsFolder(process.env);
const missing = nodePrograms.filter((program) => missingNodePrograms(process.env).includes(program));
if (missing.length > 0) {
  if (spawnSync("go", ["version"]).status !== 0) {
    fail(`Go is not installed; install it, or set KUBERNETES_E2E_PROGRAMS to a folder with ${missing.join(", ")}`);
  }
  console.error(`kubernetes-e2e: building ${missing.join(", ")}`);
  mkdirSync(folder, { recursive: true });
  const built = mkdtempSync(join(folder, "build-"));
  process.on("exit", () => rmSync(built, { recursive: true, force: true }));
  for (const program of missing) {
    const build = program.endsWith(".test") ? ["test", "-c"] : ["build"];
    go([...build, ...flags, "-o", join(built, program), packages[program]]);
    renameSync(join(built, program), join(folder, program));
  }
}
console.log(folder);
