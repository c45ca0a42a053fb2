import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, isAlreadyExists, Lease } from "@csi-sidecars/kube";
import { freePort } from "@csi-sidecars/testcluster";
import { serviceAccount } from "../cluster/cluster.ts";
import type { RunFolders } from "../state/run-folders.ts";
import { UserError } from "../user-error.ts";
import { waitUntil } from "../wait-until.ts";
import { grantRoles } from "./grant-roles.ts";
import { type ProgramMetrics, readMetrics } from "./metrics.ts";
import type { Reaper } from "./reaper.ts";
import { SupervisedProcess } from "./supervised-process.ts";

/** A shipped program in its own process, as in a pod. */
export interface ShippedProgram extends AsyncDisposable {
  readonly process: SupervisedProcess;
  /** Those that decide what it does. */
  readonly flags: readonly string[];
  /** Of its HTTP server. */
  readonly url: string;
  /** The status code of a path of its HTTP server; `undefined` while it does not answer. */
  status(path: string): Promise<number | undefined>;
  metrics(): Promise<ProgramMetrics | undefined>;
}

/** What the programs run with. */
export interface ProgramSurroundings {
  readonly admin: Client;
  /** Of a user of the cluster. */
  readonly kubeconfigOf: (user: string) => string;
  readonly folders: RunFolders;
  readonly reaper: Reaper;
  readonly signal: AbortSignal;
}

export interface ProgramPlan extends ProgramSurroundings {
  /** Of its service account, its pod and its log. */
  readonly name: string;
  /** The path of the program. */
  readonly program: string;
  /** Those that decide what it does, and therefore which roles it needs. */
  readonly flags: readonly string[];
  readonly otherFlags?: readonly string[];
  /** The names of the leases that it runs for. */
  readonly leases: readonly string[];
  /** A path of its HTTP server that answers 200 as soon as it is ready. */
  readonly readyPath: string;
}

/** The timeout of the probes in the example deployment: /healthz reports a missing driver after 3 s. */
const probeMs = 5_000;

/** Starts it with the roles that its `rbac` prints, and no others. Resolves when it is ready. */
export async function startShippedProgram(plan: ProgramPlan): Promise<ShippedProgram> {
  const { name, program, flags, otherFlags = [], leases, readyPath, admin, kubeconfigOf, folders, reaper, signal } = plan;
  await grantRoles(admin, program, flags);
  for (const lease of leases) await createLease(admin, lease);
  const kubeconfig = join(folders.folder, `${name}.kubeconfig`);
  writeFileSync(kubeconfig, kubeconfigOf(serviceAccount(name)), { mode: 0o600 });

  const address = `127.0.0.1:${await freePort()}`;
  const args = [...flags, ...otherFlags, `--kubeconfig=${kubeconfig}`, `--http-endpoint=${address}`, "--v=2"];
  const env = { POD_NAME: `${name}-0`, POD_NAMESPACE: "default", NAMESPACE: "default" };
  const process = new SupervisedProcess({ program, args, env, logFile: join(folders.folder, `${name}.log`), reaper });
  const url = `http://${address}`;
  const ask = (path: string) => fetch(`${url}${path}`, { signal: AbortSignal.timeout(probeMs) }).catch(() => undefined);
  const status = async (path: string) => {
    const response = await ask(path);
    await response?.body?.cancel();
    return response?.status;
  };
  const metrics = async () => {
    const text = await (await ask("/metrics"))?.text().catch(() => undefined);
    return text === undefined ? undefined : readMetrics(text);
  };
  process.start();
  try {
    await waitUntil(
      `${name} to be ready`,
      async () => {
        if (process.restarts > 0) throw new UserError(`${name} does not start:\n${process.logTail()}`);
        return (await status(readyPath)) === 200 || undefined;
      },
      { signal },
    );
  } catch (error) {
    await process.stop();
    throw error;
  }
  return { process, flags, url, status, metrics, [Symbol.asyncDispose]: () => process.stop() };
}

/**
 * Creates the lease that a program runs for, if there is none. It waits before it acts on one that it creates itself, because
 * somebody may have deleted it under a leader; in this cluster nobody has led before.
 */
async function createLease(admin: Client, name: string): Promise<void> {
  await admin.create(Lease, { metadata: { namespace: "default", name } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
