import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { controlPlanePrograms, installedAssets } from "../../../packages/testcluster/real/assets.ts";
import { missingNodePrograms } from "../../../tools/kubernetes-e2e/location.ts";

/** Debian's packages by a file of each: what a node is made of beyond Kubernetes' own programs. */
const packageFiles: ReadonlyMap<string, string> = new Map([
  ["containerd", "/usr/bin/containerd"],
  ["runc", "/usr/sbin/runc"],
  ["containernetworking-plugins", "/usr/lib/cni/bridge"],
  ["busybox-static", "/bin/busybox"],
  ["e2fsprogs", "/sbin/mkfs.ext4"],
  ["iproute2", "/sbin/ip"],
  ["util-linux", "/usr/bin/unshare"],
  ["mount", "/sbin/losetup"],
]);

export function missingPackages(exists: (file: string) => boolean = existsSync): string[] {
  return [...packageFiles].filter(([, file]) => !exists(file)).map(([name]) => name);
}

/** Installs packages of Debian; throws with what to do where that is not possible. */
function installPackages(names: readonly string[]): void {
  const command = ["install", "--yes", "--no-install-recommends", ...names];
  console.error(`installing ${names.join(", ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], command]) {
    const { status, error, stdout, stderr } = spawnSync("apt-get", args, { env, encoding: "utf8" });
    if (error || status !== 0) {
      const why = error ? messageOf(error) : `${stdout}${stderr}`.trim().split("\n").slice(-3).join("\n");
      throw new Error(
        `these packages of Debian are missing: ${names.join(" ")}. \`apt-get ${command.join(" ")}\` would install them: ${why}`,
      );
    }
  }
}

/** Why no node can be started here, whatever is installed; undefined if one can. */
export function whyImpossible(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return "a node needs Linux on x86-64";
  if (process.getuid?.() !== 0) return "a node needs root: run this as root";
  const probe = ["--mount", "--pid", "--net", "--fork", "ip", "link", "add", "node0", "type", "bridge"];
  const { status, stderr } = spawnSync("unshare", probe, { encoding: "utf8" });
  return status === 0
    ? undefined
    : `a node needs namespaces and a bridge of its own: \`unshare ${probe.join(" ")}\` failed: ${stderr?.trim()}`;
}

/** What is missing on this machine that {@link prepareMachine} would install or build. */
export function whyUnprepared(): string | undefined {
  const packages = missingPackages();
  if (packages.length > 0) return `these packages of Debian are missing: ${packages.join(" ")}`;
  const programs = [...missingControlPlane(), ...missingNodePrograms(process.env)];
  return programs.length > 0 && !Bun.which("go") ? `${programs.join(", ")} are not built, and Go is not installed` : undefined;
}

/** Installs the packages and builds the programs that are missing. */
export function prepareMachine(): void {
  const packages = missingPackages();
  if (packages.length > 0) installPackages(packages);
  if (missingControlPlane().length > 0) buildPrograms("envtest");
  if (missingNodePrograms(process.env).length > 0) buildPrograms("kubernetes-e2e");
}

function missingControlPlane(): readonly string[] {
  return installedAssets(process.env) ? [] : controlPlanePrograms;
}

function buildPrograms(tool: string): void {
  const script = join(import.meta.dirname, "../../../tools", tool, "build.ts");
  if (spawnSync(process.execPath, [script], { stdio: ["ignore", "ignore", "inherit"] }).status !== 0) {
    throw new Error(`the programs of tools/${tool} could not be built`);
  }
}
