import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@csi-sidecars/base/testing";
import { populatorDefinitions, snapshotDefinitions } from "@csi-sidecars/crds";
import { CSIDriver, Lease, PersistentVolumeClaim, StorageClass, VolumeSnapshot, VolumeSnapshotClass } from "@csi-sidecars/kube";
import {
  type Cluster,
  presets,
  runInProcess,
  startCluster,
  startPluginWatcher,
  startScriptedDriver,
  step,
} from "@csi-sidecars/testcluster";
import { components } from "../../../cmd/csi-sidecars/components.ts";
import { program as snapshotController } from "../../../cmd/snapshot-controller/program.ts";
import { Exposition } from "./exposition.ts";

const driverName = "csi.example.com";
const namespace = "default";
const election = ["--leader-election", `--leader-election-namespace=${namespace}`];

/**
 * Runs csi-sidecars with all its controllers, and the snapshot-controller, in a cluster where volumes are created, snapshotted and deleted,
 * become abnormal, and are refused. Returns what both serve as soon as it has every metric that is asked for.
 */
export async function scrapeEverything(wanted: readonly string[]): Promise<Exposition> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(await mkdtemp(join(tmpdir(), "csi-scrape-")), (path) => rm(path, { recursive: true }));
  const cluster = opened.use(
    await startCluster({ storageControllers: true, definitions: [...snapshotDefinitions, ...populatorDefinitions] }),
  );
  const driver = opened.use(
    await startScriptedDriver({ name: driverName, capabilities: { ...presets.full, plugin: ["CONTROLLER_SERVICE"] } }),
  );
  driver.script("DeleteVolume", step.fail("Internal", "the volume is busy"));
  opened.use(await startPluginWatcher({ directory: folder }));
  await addLeases(cluster);
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig(cluster.adminToken));
  const shared = [`--kubeconfig=${kubeconfig}`, "--http-endpoint=127.0.0.1:0", ...election];
  const sidecars = opened.use(
    await runInProcess(
      components,
      [
        ...[...shared, `--csi-address=${driver.address}`, `--controllers=${components.map(({ name }) => name).join()}`],
        ...["--kubelet-registration-path=/var/lib/kubelet/plugins/x/csi.sock", `--plugin-registration-path=${folder}`],
        ...["--health-monitor-enable-node-watcher", "--list-volumes-interval=1s", "--monitor-interval=1s"],
        "--retry-interval-start=50ms",
      ],
      { form: "all-in-one", env: { POD_NAME: "pod", POD_NAMESPACE: namespace } },
    ),
  );
  const controller = opened.use(await runInProcess(snapshotController.components, shared));
  const urls = [await sidecars.url(), await controller.url()];
  await useStorage(cluster);
  let missing: readonly string[] = [];
  return await until(
    () => `the metrics ${missing.join()}; the programs wrote\n${sidecars.output()}${controller.output()}`,
    async () => {
      await fetch(`${urls[0]}/healthz`).catch(() => undefined);
      for (const volume of driver.volumes.values()) volume.abnormal = "a disk has failed";
      const pages = await Promise.all(urls.map(metricsOf)).catch(() => []);
      const exposition = new Exposition(...pages);
      missing = wanted.filter((series) => !exposition.labels.has(series));
      return missing.length === 0 && exposition;
    },
  );
}

/** Leases that nobody holds are taken at once; those that do not exist only after their duration. */
async function addLeases({ admin }: Cluster): Promise<void> {
  for (const name of ["csi-sidecars-csi-example-com", "data-source-validator-leader", "snapshot-controller-leader"])
    await admin.create(Lease, { metadata: { namespace, name } });
}

async function useStorage({ admin }: Cluster): Promise<void> {
  await admin.create(CSIDriver, { metadata: { name: driverName }, spec: {} });
  await admin.create(StorageClass, { metadata: { name: "fast" }, provisioner: driverName });
  await admin.create(StorageClass, {
    metadata: { name: "wrong" },
    provisioner: driverName,
    parameters: { "csi.storage.k8s.io/fstype": "a", fstype: "b" },
  });
  const claim = (name: string, storageClassName: string) =>
    admin.create(PersistentVolumeClaim, {
      metadata: { name, namespace },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName },
    });
  await claim("data", "fast");
  await claim("refused", "wrong");
  await claim("gone", "fast");
  await admin.create(VolumeSnapshotClass, { metadata: { name: "gold" }, driver: driverName, deletionPolicy: "Delete" });
  await admin.create(VolumeSnapshot, {
    metadata: { name: "backup", namespace },
    spec: { source: { persistentVolumeClaimName: "data" }, volumeSnapshotClassName: "gold" },
  });
  const gone = { namespace, name: "gone" };
  await until("the volume that is deleted again", async () => (await admin.get(PersistentVolumeClaim, gone)).status?.phase === "Bound");
  await admin.delete(PersistentVolumeClaim, gone);
}

async function metricsOf(url: string): Promise<string> {
  const response = await fetch(`${url}/metrics`);
  return response.text();
}
