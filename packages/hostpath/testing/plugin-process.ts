import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Channel, type DriverClient, driverClient } from "@csi-sidecars/csi";

/** The file of the program. */
export const pluginFile = join(import.meta.dirname, "..", "hostpathplugin.ts");

/** A call that waits for the program to come up. */
export const patient = { waitForReady: true, timeoutMs: 20_000 };

/** A user who may do nothing in particular. */
export const nobody = 65_534;

/** The program in a process of its own, and a client of it. */
export interface PluginProcess extends AsyncDisposable {
  readonly folder: string;
  readonly socket: string;
  readonly stateDir: string;
  readonly client: DriverClient;
  readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">;
}

/** How a process is started: in a folder of its own unless one is given, by another user where `user` is one. */
export interface PluginProcessOptions {
  readonly flags?: readonly string[];
  readonly folder?: string;
  readonly user?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the program; the folder goes with the process unless it was given. */
export async function startPlugin({ flags = ["--nodeid=n"], folder: given, user, env }: PluginProcessOptions): Promise<PluginProcess> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), "hostpath-")));
  if (user !== undefined) await chown(folder, user, user);
  const socket = join(folder, "csi.sock");
  const stateDir = join(folder, "state");
  const become = user === undefined ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
  const where = [`--endpoint=unix://${socket}`, `--statedir=${stateDir}`, "--mount-mode=symlink"];
  const child = Bun.spawn([...become, process.execPath, pluginFile, ...where, ...flags], {
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const channel = new Channel({ target: { kind: "unix", path: socket } });
  return {
    folder,
    socket,
    stateDir,
    client: driverClient(channel),
    child,
    async [Symbol.asyncDispose]() {
      channel.close();
      child.kill("SIGKILL");
      await child.exited;
      if (!given) await rm(folder, { recursive: true, force: true });
    },
  };
}
