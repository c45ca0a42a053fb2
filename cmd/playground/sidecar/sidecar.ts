import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, electionNames, isAlreadyExists, type KubeObject, Lease, type Resource, resource } from "@csi-sidecars/kube";
import { freePort } from "@csi-sidecars/testcluster";
import { parseAllDocuments } from "yaml";
import type { PlaygroundCluster } from "../cluster/cluster.ts";
import { publishesCapacity } from "../cluster/install-driver.ts";
import type { Driver, DriverInfo } from "../driver/driver.ts";
import type { Reaper } from "../processes/reaper.ts";
import { SupervisedProcess } from "../processes/supervised-process.ts";
import type { RunFolders } from "../state/run-folders.ts";
import { UserError } from "../user-error.ts";
import { waitUntil } from "../wait-until.ts";
import { readMetrics, type SidecarMetrics } from "./metrics.ts";

/** The shipped program in its own process, as in a pod with the driver. */
export interface Sidecar extends AsyncDisposable {
  readonly process: SupervisedProcess;
  /** Those that decide what it does. */
  readonly flags: readonly string[];
  /** Of its HTTP server. */
  readonly url: string;
  /** The status code of a path of its HTTP server; `undefined` while it does not answer. */
  status(path: string): Promise<number | undefined>;
  metrics(): Promise<SidecarMetrics | undefined>;
}

export interface SidecarPlan {
  readonly program: string;
  readonly cluster: PlaygroundCluster;
  readonly driver: Driver;
  readonly folders: RunFolders;
  readonly reaper: Reaper;
  readonly signal: AbortSignal;
}

/** The timeout of the probes in the example deployment: /healthz reports a missing driver after 3 s. */
const probeMs = 5_000;

/** Starts it with the roles that `csi-sidecars rbac` prints, and no others. Resolves when it is ready. */
export async function startSidecar({ program, cluster, driver, folders, reaper, signal }: SidecarPlan): Promise<Sidecar> {
  const flags = sidecarFlags(driver.info);
  await grantRoles(cluster.admin, program, flags);
  await createLease(cluster.admin, driver.info.name);
  const kubeconfig = join(folders.folder, "sidecar.kubeconfig");
  writeFileSync(kubeconfig, cluster.sidecarKubeconfig, { mode: 0o600 });

  const address = `127.0.0.1:${await freePort()}`;
  const args = [...flags, `--csi-address=${driver.socket}`, `--kubeconfig=${kubeconfig}`, `--http-endpoint=${address}`, "--v=2"];
  const env = { POD_NAME: "csi-sidecars-0", POD_NAMESPACE: "default", NAMESPACE: "default" };
  const process = new SupervisedProcess({ program, args, env, logFile: join(folders.folder, "csi-sidecars.log"), reaper });
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
      "csi-sidecars to be ready",
      async () => {
        if (process.restarts > 0) throw new UserError(`csi-sidecars does not start:\n${process.logTail()}`);
        return (await status("/readyz")) === 200 || undefined;
      },
      { signal },
    );
  } catch (error) {
    await process.stop();
    throw error;
  }
  return { process, flags, url, status, metrics, [Symbol.asyncDispose]: () => process.stop() };
}

/** The controllers that a driver's capabilities call for. */
const controllersFor = ({ attaches, provisions, expands, modifies }: DriverInfo): readonly string[] => [
  ...(attaches ? ["attacher"] : []),
  ...(provisions ? ["provisioner"] : []),
  ...(expands || modifies ? ["resizer"] : []),
  "livenessprobe",
];

/** The flags that decide what the program does, and therefore which roles it needs. */
export const sidecarFlags = (info: DriverInfo): readonly string[] => [
  `--controllers=${controllersFor(info).join(",")}`,
  "--leader-election",
  // There is no pod object for the process that could own the CSIStorageCapacity objects.
  ...(publishesCapacity(info) ? ["--enable-capacity", "--capacity-ownerref-level=-1"] : []),
];

const kinds: readonly Resource[] = [
  rbac("clusterroles", "ClusterRole", false),
  rbac("clusterrolebindings", "ClusterRoleBinding", false),
  rbac("roles", "Role", true),
  rbac("rolebindings", "RoleBinding", true),
];

function rbac(plural: string, kind: string, namespaced: boolean): Resource {
  return resource("rbac.authorization.k8s.io/v1", plural, kind, { namespaced });
}

/**
 * Creates the lease that the program runs for, if there is none. It waits before it acts on one that it creates itself, because
 * somebody may have deleted it under a leader; in this cluster nobody has led before.
 */
async function createLease(admin: Client, driver: string): Promise<void> {
  const { leaseName } = electionNames(`csi-sidecars-${driver}`, "");
  await admin.create(Lease, { metadata: { namespace: "default", name: leaseName.toLowerCase() } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

/** Grants the roles that the program needs with these flags. Those of an earlier run are replaced. */
async function grantRoles(admin: Client, program: string, flags: readonly string[]): Promise<void> {
  const manifests = execFileSync(program, ["rbac", ...flags], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  for (const document of parseAllDocuments(manifests)) {
    const role: KubeObject = document.toJS();
    const kind = kinds.find((candidate) => candidate.kind === role.kind);
    if (!kind) throw new Error(`csi-sidecars rbac prints a ${role.kind}, which the playground does not know`);
    await admin.create(kind, role).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
      return admin.update(kind, role);
    });
  }
}
