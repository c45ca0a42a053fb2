import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { UserError } from "../../cmd/playground/user-error.ts";

/**
 * Runs a tool of this repository, and throws what it wrote where it fails. Its processes are a group of their own, so that `signal` ends those
 * that it started too, and nothing writes any more when this returns.
 */
export async function runTool(root: string, [tool, ...args]: readonly [string, ...string[]], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [join(root, tool), ...args], { cwd: root, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const end = () => endGroup(child.pid);
  signal.addEventListener("abort", end, { once: true });
  try {
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    signal.throwIfAborted();
    if (code !== 0) throw new UserError(`${tool}: ${stderr || stdout}`);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGTERM");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
