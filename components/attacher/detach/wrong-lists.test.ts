import { expect, test } from "bun:test";
import { CSINode, mergePatch, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { RelistedKind } from "@csi-sidecars/testcluster";
import { startWorld } from "../testing/attacher-world.ts";
import { attachment, csiNode, volume } from "../testing/objects.ts";

test("an attachment that a list leaves out, and that the API server has, keeps its volume on the node", async () => {
  const attachments = new RelistedKind(VolumeAttachment);
  await using world = await startWorld({ wrapClient: (client, { name }) => (name === "informers" ? attachments.client(client) : client) });
  const listAgain = (how: "right" | "empty") =>
    attachments.relist(how, () => world.admin.patch(VolumeAttachment, { name: "va" }, mergePatch({ metadata: { labels: { list: how } } })));
  const calls = () => world.driver.calls().map(({ method }) => method);
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume());
  await world.create(VolumeAttachment, attachment());
  await world.until(({ status }) => status?.attached);

  await listAgain("empty");
  const isAsked = async () => (await world.requests()).includes("get volumeattachments va");
  await world.untilTrue(async () => (await isAsked()) || calls().includes("ControllerUnpublishVolume"));
  expect(world.driver.publishedTo("handle1")).toEqual(["nodeID1"]);

  await listAgain("right");
  await world.admin.delete(VolumeAttachment, { name: "va" });
  await world.untilGone(VolumeAttachment, "va");
  expect(calls().filter((call) => /Publish|Unpublish/.test(call))).toEqual(["ControllerPublishVolume", "ControllerUnpublishVolume"]);
}, 20_000);
