import { writeFileSync } from "node:fs";
import { type Program, startProgram } from "../../../packages/testcluster/real/process.ts";
import { runCommand } from "../machine/run-command.ts";
import { podRange } from "./addresses.ts";
import type { NodeFiles } from "./files.ts";
import { waitFor } from "./wait-for.ts";

export const containerdSocket = "/run/containerd/containerd.sock";

/** Starts containerd; pods are on a bridge. */
export async function startContainerd(files: NodeFiles, pauseImage: string): Promise<Program> {
  const config = files.file("containerd.toml");
  writeFileSync(config, containerdConfig(files, pauseImage));
  writeFileSync(`${files.folder("cni")}/10-pods.conflist`, JSON.stringify(podNetwork(files), undefined, 2));
  const program = startProgram("containerd", "containerd", [`--config=${config}`], files.log("containerd"));
  await Promise.race([waitFor("containerd", () => ctr("version")), program.failed]);
  return program;
}

export function importImages(archive: string): void {
  ctr("--namespace=k8s.io", "images", "import", archive);
}

export function nameImage(image: string, otherName: string): void {
  ctr("--namespace=k8s.io", "images", "tag", "--force", image, otherName);
}

export function imageNames(): string[] {
  return ctr("--namespace=k8s.io", "images", "list", "--quiet").split("\n").filter(Boolean);
}

function ctr(...args: string[]): string {
  return runCommand("ctr", [`--address=${containerdSocket}`, ...args]);
}

/** Without CAP_SYS_RESOURCE runc cannot make a container less likely to be killed than itself, hence `restrict_oom_score_adj`. */
function containerdConfig(files: NodeFiles, pauseImage: string): string {
  return `version = 2
root = "${files.folder("containerd")}"
state = "/run/containerd"
[grpc]
  address = "${containerdSocket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${files.folder("cni")}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`;
}

function podNetwork(files: NodeFiles): object {
  const ranges = [[{ subnet: podRange }]];
  const ipam = { type: "host-local", dataDir: files.folder("pod-addresses"), ranges, routes: [{ dst: "0.0.0.0/0" }] };
  return { cniVersion: "0.4.0", name: "pods", plugins: [{ type: "bridge", bridge: "pods0", isGateway: true, hairpinMode: true, ipam }] };
}
