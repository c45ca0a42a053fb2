import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DriverOptions } from "../driver-options.ts";
import { controlClient, type RemoteOperations, toJson } from "./control-channel.ts";

/** A scripted driver in a process of its own, which outlives a crash of the sidecar and can be killed itself. */
export interface DriverProcess extends RemoteOperations, AsyncDisposable {
  /** The path of its socket: what `--csi-address` takes. */
  readonly address: string;
  readonly pid: number;
  /** Ends the process and its storage with a signal; resolves when it is gone. */
  end(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/** Starts a driver process; scripts must be plain data, so answers cannot be functions. Resolves when it serves. */
export async function startDriverProcess(options: Omit<DriverOptions, "clock"> = {}): Promise<DriverProcess> {
  const folder = await mkdtemp(join(tmpdir(), "csi-driver-"));
  const socket = options.socket ?? join(folder, "csi.sock");
  const control = join(folder, "control.sock");
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const child = spawn(process.execPath, [main, toJson({ ...options, socket, control, exitWithParent: true })], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const gone = once(child, "exit");
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const end = async (signal: "SIGTERM" | "SIGKILL" = "SIGTERM") => {
    child.kill(signal);
    await gone;
  };
  const started = await Promise.race([once(child.stdout, "data"), gone.then(() => undefined)]);
  if (!started || child.pid === undefined) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`the driver process ended with ${child.exitCode} before it was ready: ${complaint}`);
  }
  return {
    ...controlClient(control),
    address: socket,
    pid: child.pid,
    end,
    async [Symbol.asyncDispose]() {
      await end("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
