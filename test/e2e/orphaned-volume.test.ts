import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isNotFound, PersistentVolumeClaim, StorageClass } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { binary } from "./testing/binary.ts";
import { until } from "./testing/until.ts";
import { startE2eWorld, type World } from "./testing/world.ts";

/** A shared server remembers the claims of other tests of the driver. */
const driverName = `lost-${crypto.randomUUID().slice(0, 8)}.example.com`;
const ref = { namespace: "default", name: "data" };

test("a process is killed while the driver creates a volume, and the claim is deleted: audit finds the volume, and the next process deletes it", async () => {
  await using world = await startE2eWorld({
    cluster: { storageControllers: true, nodes: false },
    driver: { name: driverName, capabilities: "attachable" },
  });
  const { cluster, driver } = world;
  const { admin } = cluster;
  const kubeconfig = await world.kubeconfig("provisioner");
  const args = ["--controllers=provisioner", `--kubeconfig=${kubeconfig}`, "--leader-election=false", "--timeout=2s"];
  await admin.create(StorageClass, { metadata: { name: "lost" }, provisioner: driverName });
  driver.always("CreateVolume", step.hangAfter);
  const first = world.start("first", args);
  await admin.create(PersistentVolumeClaim, {
    metadata: ref,
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "lost" },
  });
  await driver.called("CreateVolume", 1, 30_000);
  await first.end("SIGKILL");
  await admin.delete(PersistentVolumeClaim, ref);
  await until("the claim's end", () => admin.get(PersistentVolumeClaim, ref).then(() => false, isNotFound));
  driver.always("CreateVolume", step.act);
  const [id = ""] = driver.volumes.keys();

  const second = world.start("second", [...args, "--provisioner-cleanup-orphaned-volumes=false"]);
  await second.logged("Starting controllers");
  expect(await audit(world)).toMatchObject({ clean: false, differences: [{ kind: "volume without PV", volume: id }] });
  expect(await second.end()).toBe(0);

  world.start("third", args);
  await until("the volume's end", () => driver.volumes.size === 0, 45_000);
  expect(await audit(world)).toMatchObject({ clean: true, differences: [] });
}, 120_000);

async function audit({ driver, cluster, folder }: World): Promise<unknown> {
  const kubeconfig = join(folder, "audit.kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig(cluster.adminToken), { mode: 0o600 });
  const options = [`--csi-address=${driver.address}`, `--kubeconfig=${kubeconfig}`, "--older-than=10ms", "-o", "json"];
  return new Response(Bun.spawn([binary(), "audit", ...options], { stdout: "pipe" }).stdout).json();
}
