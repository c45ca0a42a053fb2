import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { kubeconfigFor } from "../../packages/testcluster/apiserver/access/kubeconfig.ts";
import { installedAssets } from "../../packages/testcluster/real/assets.ts";
import { startControlPlane } from "../../packages/testcluster/real/control-plane.ts";
import type { Workbench } from "./workbench.ts";

export type ServerKind = "real" | "embedded";

/** The real control plane where its programs are installed, else the embedded server. */
export function defaultServerKind(env: NodeJS.ProcessEnv): ServerKind {
  return installedAssets(env) === undefined ? "embedded" : "real";
}

/**
 * Starts an API server in processes of its own, so that none of it counts towards what is measured. Returns the path of an
 * administrator's kubeconfig.
 */
export async function startServer(bench: Workbench, kind: ServerKind, env: NodeJS.ProcessEnv): Promise<string> {
  const file = bench.path("kubeconfig");
  const text = kind === "real" ? await startReal(bench, env) : JSON.parse(await startScript(bench, "embedded-server-main.ts"));
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** Starts a driver in a process of its own. Returns its socket. */
export async function startDriver(bench: Workbench): Promise<string> {
  const socket = bench.path("csi.sock");
  await startScript(bench, "driver-main.ts", socket);
  return socket;
}

async function startReal(bench: Workbench, env: NodeJS.ProcessEnv): Promise<string> {
  const starting = startControlPlane({ env, users: [], storageControllers: false });
  // Also when ctrl-C comes while it starts.
  bench.defer(async () => (await starting.catch(() => undefined))?.[Symbol.asyncDispose]());
  const plane = await starting;
  return kubeconfigFor(plane.url, plane.caPem, { token: plane.adminToken });
}

/** Returns the first line the script prints. */
async function startScript(bench: Workbench, name: string, ...args: string[]): Promise<string> {
  const child = bench.start(process.execPath, [join(import.meta.dirname, name), ...args]);
  if (!child.stdout) throw new Error(`cannot start ${name}`);
  const [line] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    once(child, "exit").then(([code]): never => {
      throw new Error(`${name} ended with exit code ${code}`);
    }),
  ]);
  return line;
}
