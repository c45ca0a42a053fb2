import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeCgroups } from "./cgroups.ts";
import { raiseInotifyLimit } from "./inotify-limit.ts";
import { detachLoopDevices } from "./loop-devices.ts";

const folderPrefix = "csi-sidecars-node-";

/**
 * Runs a program of ours with mount, process and network namespaces of its own, and a folder that is removed afterwards. Whatever it mounts or
 * starts ends with it; it ends when this process does, and at Ctrl-C. The folder's name is the last argument. Returns the exit code.
 */
export async function runIsolated(script: string, settings: unknown): Promise<number> {
  removeStaleFolders();
  const folder = mkdtempSync(join(tmpdir(), `${folderPrefix}${process.pid}-`));
  const restoreInotifyLimit = raiseInotifyLimit();
  try {
    const child = spawn(
      "setpriv",
      [
        "--pdeathsig=KILL",
        "unshare",
        ...["--mount", "--propagation=shared", "--pid", "--mount-proc", "--net", "--ipc", "--fork", "--kill-child=KILL"],
        ...["bash", join(import.meta.dirname, "init.sh")],
        ...[process.execPath, script, JSON.stringify(settings), folder],
      ],
      { stdio: ["ignore", "inherit", "inherit"], detached: true },
    );
    const stop = () => child.kill("SIGKILL");
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    for (const signal of signals) process.on(signal, stop);
    const [code] = await once(child, "exit");
    for (const signal of signals) process.off(signal, stop);
    return code ?? 1;
  } finally {
    restoreInotifyLimit();
    removeNodeFolder(folder);
  }
}

/** The folder, and what of the machine was used in its name. */
function removeNodeFolder(folder: string): void {
  detachLoopDevices(folder);
  removeCgroups(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** Removes what runs left behind that could not clean up. */
function removeStaleFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue;
    const pid = Number.parseInt(name.slice(folderPrefix.length), 10);
    if (!isRunning(pid)) removeNodeFolder(join(tmpdir(), name));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
