import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@csi-sidecars/base/testing";
import { CSINode, isNotFound, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { grantRole, runInProcess, startCluster, startScriptedDriver } from "@csi-sidecars/testcluster";
import { attacher } from "./component.ts";
import { attacherRules } from "./rbac.ts";
import { attachment, csiNode, driverName, volume } from "./testing/objects.ts";

test("upstream's program, with its flags and no more rights than its role: attaches, detaches, ends on SIGTERM", async () => {
  await using cluster = await startCluster();
  await using driver = await startScriptedDriver({ name: driverName, volumes: [{ id: "handle1" }] });
  const user = cluster.newUser();
  await grantRole(cluster.admin, user.name, attacherRules.cluster);
  const folder = await mkdtemp(join(tmpdir(), "csi-attacher-"));
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => rm(folder, { recursive: true }));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig(user.token));

  const argv = [
    `--kubeconfig=${kubeconfig}`,
    `--csi-address=${driver.address}`,
    "--timeout=5s",
    "--worker-threads=2",
    "--default-fstype=xfs",
    "-v=5",
  ];
  await using run = await runInProcess([attacher], argv);
  await cluster.admin.create(CSINode, csiNode());
  await cluster.admin.create(PersistentVolume, volume());
  await cluster.admin.create(VolumeAttachment, attachment());
  await until(
    "the volume to be attached",
    async () => (await cluster.admin.get(VolumeAttachment, { name: "va" })).status?.attached ?? false,
  );
  expect(driver.calls("ControllerPublishVolume").map(({ request }) => request.volumeCapability?.accessType)).toMatchObject([
    { mount: { fsType: "xfs" } },
  ]);
  await cluster.admin.delete(VolumeAttachment, { name: "va" });
  await until("the attachment to be gone", () => cluster.admin.get(VolumeAttachment, { name: "va" }).then(() => false, isNotFound));
  expect(driver.publishedTo("handle1")).toEqual([]);
  run.signal("SIGTERM");
  expect(await run.exit).toBe(0);
});
