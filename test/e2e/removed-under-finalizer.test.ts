import { expect, test } from "bun:test";
import { VolumeAttachment } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { holdDelete } from "./testing/held-delete.ts";
import { addNode, addVolume, attach, attachments } from "./testing/objects.ts";
import { until } from "./testing/until.ts";
import { startE2eWorld } from "./testing/world.ts";

/**
 * A delete that read the attachment before it got its finalizer removes it all the same, while the driver attaches: the API server
 * does not look again. In each case the process is killed around that moment.
 */
test.each([
  ["before the attachment is gone, with the driver at work", { killed: "before", attached: false }],
  ["before the attachment is gone, with the volume attached", { killed: "before", attached: true }],
  ["after the attachment is gone, with the driver at work", { killed: "after", attached: false }],
] as const)(
  "an attachment is removed under the finalizer and the process is killed %s: the next one detaches",
  async (_, moment) => {
    await using world = await startE2eWorld();
    const { cluster, driver } = world;
    await addNode(cluster, "node-1", driver.settings.name);
    await addVolume(world, "volume-1");
    await attach(cluster, "volume-1", "node-1", driver.settings.name);
    await using held = await holdDelete(cluster, "va-volume-1");
    if (!moment.attached) driver.script("ControllerPublishVolume", step.waitFor("go"));
    const args = ["--controllers=attacher", `--kubeconfig=${await world.kubeconfig("attacher")}`, "--leader-election=false"];

    const first = world.start("first", args);
    await driver.called("ControllerPublishVolume", 1, 20_000);
    const prepared = await cluster.admin.get(VolumeAttachment, { name: "va-volume-1" });
    expect(prepared.metadata?.finalizers).toHaveLength(1);
    expect(prepared.metadata?.deletionTimestamp).toBeUndefined();
    if (moment.attached) await until("attached", async () => (await attachments(cluster))[0]?.status?.attached);
    if (moment.killed === "after") await held.finish();
    await first.end("SIGKILL");
    if (moment.killed === "before") await held.finish();
    driver.release("go");
    await until("attached in vain", () => driver.publishedTo("id-volume-1").length === 1);

    world.start("second", args);
    await until("detached", () => driver.publishedTo("id-volume-1").length === 0);
    expect(driver.calls("ControllerPublishVolume")).toHaveLength(1);
    expect(driver.calls("ControllerUnpublishVolume")).toHaveLength(1);
  },
  60_000,
);
