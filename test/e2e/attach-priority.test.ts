import { expect, test } from "bun:test";
import { VolumeAttachment } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { addAndAttach, addNode, addVolume, attach, attachments, inParallel } from "./testing/objects.ts";
import { until } from "./testing/until.ts";
import { startE2eWorld } from "./testing/world.ts";

const detaches = 300;
const attaches = 50;

test("50 attaches do not wait for 300 detaches that hang in the driver", async () => {
  await using world = await startE2eWorld();
  const { cluster, driver } = world;
  await addNode(cluster, "node", driver.settings.name);
  const kubeconfig = await world.kubeconfig("attacher");
  world.start("pod", ["--controllers=attacher", `--kubeconfig=${kubeconfig}`, "--kube-api-qps=-1", "--timeout=2m", "--worker-threads=10"]);
  const old = Array.from({ length: detaches }, (_, i) => `old-${i}`);
  const fresh = Array.from({ length: attaches }, (_, i) => `fresh-${i}`);
  await inParallel(old, async (name) => {
    await addVolume(world, name);
    await attach(cluster, name, "node", driver.settings.name);
  });
  await until("the old volumes attached", async () => (await attachments(cluster)).every((va) => va.status?.attached), 60_000);

  driver.always("ControllerUnpublishVolume", step.waitFor("the attaches"));
  await inParallel(old, (name) => cluster.admin.delete(VolumeAttachment, { name: `va-${name}` }));
  await driver.called("ControllerUnpublishVolume", 10);
  await inParallel(fresh, (name) => addAndAttach(world, name, "node"), 5);
  expect(driver.calls("ControllerUnpublishVolume").map(({ endedAt }) => endedAt)).toEqual(Array(10).fill(undefined));

  driver.always("ControllerUnpublishVolume", step.act);
  driver.release("the attaches");
  await until("the old volumes detached", async () => (await attachments(cluster)).length === attaches, 60_000);
  expect(old.filter((name) => driver.publishedTo(`id-${name}`).length > 0)).toEqual([]);
  expect(driver.overlaps()).toEqual([]);
}, 180_000);
