import { spawnSync } from "node:child_process";

const programs = ["containerd", "ctr", "runc", "unshare", "nsenter"];

/** Why containers cannot be run here; `undefined` if they can. */
export function missingForContainers(): string | undefined {
  if (process.platform !== "linux") return "only on Linux";
  if (process.getuid?.() !== 0) return "only as root";
  const missing = programs.filter((name) => !Bun.which(name));
  if (missing.length > 0) return `not installed: ${missing.join(", ")}`;
  if (!Bun.which("dpkg-deb") || !Bun.which("apt-get")) return "the images' base comes from Debian's packages, and APT is not here";
  const { status, stderr } = spawnSync("unshare", ["--mount", "--pid", "--fork", "--mount-proc", "mount", "-t", "tmpfs", "tmpfs", "/run"], {
    encoding: "utf8",
  });
  return status === 0 ? undefined : `no namespaces: ${stderr.trim()}`;
}
