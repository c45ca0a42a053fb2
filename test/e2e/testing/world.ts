import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Cluster,
  type ClusterOptions,
  type DriverOptions,
  type ScriptedDriver,
  startCluster,
  startScriptedDriver,
} from "@csi-sidecars/testcluster";
import { parseAllDocuments } from "yaml";
import { binary } from "./binary.ts";
import { SidecarProcess } from "./sidecar-process.ts";

/** A user of the cluster, and the file to give to `--kubeconfig`. */
export interface Account {
  readonly name: string;
  readonly kubeconfig: string;
}

/** An API server, a driver, and the sidecar processes that a test starts. */
export interface World extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly driver: ScriptedDriver;
  /** A folder that is removed at the end. */
  readonly folder: string;
  /** The same cluster with another driver. */
  beside(driver: DriverOptions): Promise<World>;
  /** A user with the roles of these manifests, and no others. */
  account(manifests: (user: string) => string): Promise<Account>;
  /** The kubeconfig of a user with exactly the roles that `csi-sidecars rbac` prints for these controllers. */
  kubeconfig(controllers: string): Promise<string>;
  /** Starts a program with the driver's address. */
  start(name: string, args: readonly string[], options?: ConstructorParameters<typeof SidecarProcess>[2]): SidecarProcess;
}

export async function startE2eWorld(options: { cluster?: ClusterOptions; driver?: DriverOptions } = {}): Promise<World> {
  await using started = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "e2e-"));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = started.use(await startCluster(options.cluster));
  const first = started.use(await startScriptedDriver(options.driver));
  const running = started.move();
  const account: World["account"] = async (manifests) => {
    const { name, token } = cluster.newUser();
    await grant(cluster, name, manifests(name));
    const kubeconfig = join(folder, `${name}.kubeconfig`);
    writeFileSync(kubeconfig, cluster.kubeconfig(token), { mode: 0o600 });
    return { name, kubeconfig };
  };
  const worldOf = (driver: ScriptedDriver): World => ({
    cluster,
    driver,
    folder,
    account,
    beside: async (other) => worldOf(running.use(await startScriptedDriver(other))),
    kubeconfig: async (controllers) => (await account(rolesFor(controllers))).kubeconfig,
    start: (name, args, more) => running.use(new SidecarProcess(name, [...args, `--csi-address=${driver.address}`], more)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  });
  return worldOf(first);
}

/** The roles that `csi-sidecars rbac` prints for these controllers. */
export function rolesFor(controllers: string): (user: string) => string {
  return (user) => Bun.spawnSync([binary(), "rbac", `--controllers=${controllers}`, `--name-prefix=${user}`]).stdout.toString();
}

/** Creates roles and bindings, with the user in place of the service account. */
async function grant(cluster: Cluster, user: string, yaml: string): Promise<void> {
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }];
  for (const document of parseAllDocuments(yaml)) {
    const manifest = document.toJS();
    const scope = manifest.metadata.namespace ? `/namespaces/${manifest.metadata.namespace}` : "";
    const path = `/apis/${manifest.apiVersion}${scope}/${manifest.kind.toLowerCase()}s`;
    await cluster.admin.raw("POST", path, manifest.subjects ? { ...manifest, subjects } : manifest);
  }
}
