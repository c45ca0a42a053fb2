import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "../../../packages/testcluster/real/process.ts";
import { runCommand } from "../machine/run-command.ts";
import { nodeAddress } from "./addresses.ts";
import type { NodeFiles } from "./files.ts";

export const sshServer = "/usr/sbin/sshd";

/**
 * Lets the suite stop and start the kubelet as it does on any node: by ssh, with `systemctl`. What it finds under that name does it for
 * this node only. Returns the environment that the suite needs.
 */
export function giveSshAccess(files: NodeFiles, kubelet: readonly string[]): Readonly<Record<string, string>> {
  const folder = files.folder("ssh");
  const key = (name: string) => join(folder, name);
  for (const name of ["host", "client"]) runCommand("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key(name)]);
  writeCommand(files, "systemctl", systemctl(kubelet, files.log("kubelet")));
  writeCommand(files, "sudo", '#!/bin/bash\nexec "$@"\n');
  mkdirSync("/run/sshd", { recursive: true });
  const settings = {
    ListenAddress: `${nodeAddress}:22`,
    HostKey: key("host"),
    AuthorizedKeysFile: key("client.pub"),
    PermitRootLogin: "prohibit-password",
    PasswordAuthentication: "no",
    StrictModes: "no",
    UsePAM: "no",
    PidFile: "none",
    SetEnv: `PATH=${files.folder("commands")}:/usr/sbin:/usr/bin:/sbin:/bin`,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  startProgram("sshd", sshServer, ["-D", "-e", "-f", "/dev/null", ...options], files.log("sshd"));
  return { KUBE_SSH_KEY_PATH: key("client"), KUBE_SSH_USER: "root" };
}

function writeCommand(files: NodeFiles, name: string, script: string): void {
  const file = join(files.folder("commands"), name);
  writeFileSync(file, script);
  chmodSync(file, 0o755);
}

function systemctl(kubelet: readonly string[], log: string): string {
  return `#!/bin/bash
running() { pgrep --exact kubelet > /dev/null; }
case $1 in
  stop) pkill --exact kubelet; while running; do sleep 0.1; done ;;
  start) if ! running; then setsid ${kubelet.map((part) => `'${part}'`).join(" ")} >> '${log}' 2>&1 < /dev/null & fi ;;
  show) if running; then echo active; else echo inactive; fi ;;
  *) echo "systemctl $1 is not known on this node" >&2; exit 1 ;;
esac
`;
}
