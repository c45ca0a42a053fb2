import { expect, test } from "bun:test";
import {
  type Client,
  CSINode,
  type KubeObject,
  type ListOptions,
  mergePatch,
  PersistentVolume,
  type Resource,
  StatusError,
  VolumeAttachment,
  type WatchEvent,
  type WatchOptions,
} from "@csi-sidecars/kube";
import { startWorld } from "../testing/attacher-world.ts";
import { attachment, csiNode, volume } from "../testing/objects.ts";

/** A client whose watch of attachments expires with the next event once, so that they are listed again; `wrong`: as if there were none. */
function relisting(right: Client, next: { relist?: "right" | "wrong" | undefined }): Client {
  let wrong = false;
  async function* expiring<T>(events: AsyncIterable<WatchEvent<T>>) {
    for await (const event of events) {
      if (next.relist) {
        wrong = next.relist === "wrong";
        next.relist = undefined;
        throw new StatusError({ code: 410, reason: "Expired", message: "too old resource version" });
      }
      yield event;
    }
  }
  return {
    ...right,
    async list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions) {
      const list = await right.list(resource, options);
      return wrong && resource.plural === VolumeAttachment.plural ? { ...list, items: [] } : list;
    },
    async watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions) {
      if (options.sendInitialEvents) throw new StatusError({ code: 422, reason: "Invalid", message: "sendInitialEvents is forbidden" });
      const events = await right.watch(resource, options);
      return resource.plural === VolumeAttachment.plural ? expiring(events) : events;
    },
  };
}

test("an attachment that a list leaves out, and that the API server has, keeps its volume on the node", async () => {
  const next: Parameters<typeof relisting>[1] = {};
  await using world = await startWorld({ wrapClient: (client, { name }) => (name === "informers" ? relisting(client, next) : client) });
  const listAgain = async (relist: "right" | "wrong") => {
    next.relist = relist;
    await world.admin.patch(VolumeAttachment, { name: "va" }, mergePatch({ metadata: { labels: { relist } } }));
  };
  const calls = () => world.driver.calls().map(({ method }) => method);
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume());
  await world.create(VolumeAttachment, attachment());
  await world.until(({ status }) => status?.attached);

  await listAgain("wrong");
  const isAsked = async () => (await world.requests()).includes("get volumeattachments va");
  await world.untilTrue(async () => (await isAsked()) || calls().includes("ControllerUnpublishVolume"));
  expect(world.driver.publishedTo("handle1")).toEqual(["nodeID1"]);

  await listAgain("right");
  await world.admin.delete(VolumeAttachment, { name: "va" });
  await world.untilGone(VolumeAttachment, "va");
  expect(calls().filter((call) => call.includes("PublishVolume") || call.includes("UnpublishVolume"))).toEqual([
    "ControllerPublishVolume",
    "ControllerUnpublishVolume",
  ]);
}, 20_000);
