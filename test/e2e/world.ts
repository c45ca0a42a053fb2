import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CSINode, Node, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
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

/** An API server, a driver that outlives sidecars, and as many sidecar processes as a test starts. */
export interface World extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly driver: ScriptedDriver;
  /** A kubeconfig whose user holds exactly the roles that `csi-sidecars rbac` prints for these controllers. */
  kubeconfig(controllers: string): Promise<string>;
  start(name: string, args: readonly string[], options?: ConstructorParameters<typeof SidecarProcess>[2]): SidecarProcess;
}

export async function startE2eWorld(options: { cluster?: ClusterOptions; driver?: DriverOptions } = {}): Promise<World> {
  await using started = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "e2e-"));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = started.use(await startCluster(options.cluster));
  const driver = started.use(await startScriptedDriver(options.driver));
  const running = started.move();
  return {
    cluster,
    driver,
    async kubeconfig(controllers) {
      const user = cluster.newUser();
      const { stdout } = Bun.spawnSync([binary(), "rbac", `--controllers=${controllers}`, `--name-prefix=${user.name}`]);
      await grant(cluster, user.name, stdout.toString());
      const file = join(folder, `${user.name}.kubeconfig`);
      writeFileSync(file, cluster.kubeconfig(user.token), { mode: 0o600 });
      return file;
    },
    start: (name, args, more) => running.use(new SidecarProcess(name, [`--csi-address=${driver.address}`, ...args], more)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Creates roles and bindings; what was meant for a service account is given to the user. */
async function grant(cluster: Cluster, user: string, yaml: string): Promise<void> {
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }];
  for (const document of parseAllDocuments(yaml)) {
    const manifest = document.toJS();
    const scope = manifest.metadata.namespace ? `/namespaces/${manifest.metadata.namespace}` : "";
    const path = `/apis/${manifest.apiVersion}${scope}/${manifest.kind.toLowerCase()}s`;
    await cluster.admin.raw("POST", path, manifest.subjects ? { ...manifest, subjects } : manifest);
  }
}

/** A node with the driver on it. */
export async function addNode(cluster: Cluster, name: string, driver: string): Promise<void> {
  await cluster.admin.create(Node, { metadata: { name } });
  await cluster.admin.create(CSINode, { metadata: { name }, spec: { drivers: [{ name: driver, nodeID: `id-${name}` }] } });
}

export async function addVolume(world: World, name: string): Promise<void> {
  const { name: driver } = world.driver.settings;
  world.driver.addVolume({ id: `id-${name}`, name });
  await world.cluster.admin.create(PersistentVolume, {
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      csi: { driver, volumeHandle: `id-${name}` },
    },
  });
}

export async function attach(cluster: Cluster, volume: string, node: string, attacher: string): Promise<void> {
  await cluster.admin.create(VolumeAttachment, {
    metadata: { name: `va-${volume}` },
    spec: { attacher, nodeName: node, source: { persistentVolumeName: volume } },
  });
}
