import { describe, expect, test } from "bun:test";
import { mergePatch, VolumeAttachment } from "@csi-sidecars/kube";
import { presets } from "@csi-sidecars/testcluster";
import { type AttacherWorld, startWorld, type WorldOptions } from "./testing/attacher-world.ts";
import { attachment, finalizer, foreign } from "./testing/objects.ts";

const status = "patch volumeattachments/status va";

function trivialWorld(options: WorldOptions = {}): Promise<AttacherWorld> {
  return startWorld({ ...options, driver: { capabilities: presets.minimal } });
}

describe("a driver that does not attach volumes", () => {
  test("a new attachment is marked as attached, without finalizer or call", async () => {
    await using world = await trivialWorld();
    await world.create(VolumeAttachment, attachment());
    const va = await world.until((seen) => seen.status?.attached);
    expect(va.metadata?.finalizers).toBeUndefined();
    expect(va.status).toEqual({ attached: true });
    expect(await world.requests()).toEqual([status]);
    expect(world.driver.calls().map(({ method }) => method)).toEqual([
      "Probe",
      "GetPluginInfo",
      "GetPluginCapabilities",
      "ControllerGetCapabilities",
    ]);
  });

  test("one that was there before, and one that changes; an old error goes", async () => {
    await using world = await trivialWorld({ stopped: true });
    await world.createAttachment(attachment(), { attachError: { message: "old" }, attachmentMetadata: { old: "1" } });
    await world.run();
    expect((await world.until((seen) => seen.status?.attached)).status).toEqual({ attached: true });
    await world.admin.patch(VolumeAttachment, { name: "va" }, mergePatch({ status: { attached: false } }), { subresource: "status" });
    await world.until((seen) => seen.status?.attached);
    expect(await world.requests()).toEqual([status, status]);
  });

  test("attachments of other drivers are left alone", async () => {
    await using world = await trivialWorld();
    await world.create(VolumeAttachment, attachment({ metadata: { name: "theirs" }, spec: { attacher: "other.example.com" } }));
    await world.create(VolumeAttachment, attachment());
    await world.until((seen) => seen.status?.attached);
    expect(await world.requests()).toEqual([status]);
  });

  test("a failure is retried", async () => {
    await using world = await trivialWorld();
    world.disturb({ resource: VolumeAttachment, subresource: "status", how: "refused", times: 2 });
    await world.create(VolumeAttachment, attachment());
    await world.until((seen) => seen.status?.attached);
  });

  test("a finalizer from a time when the driver attached volumes is removed from deleted attachments, others' stay", async () => {
    await using world = await trivialWorld({ stopped: true });
    await world.createAttachment(attachment({ metadata: { finalizers: [foreign, finalizer] } }), { attached: true });
    await world.run();
    await world.admin.delete(VolumeAttachment, { name: "va" });
    await world.until((seen) => !seen.metadata?.finalizers?.includes(finalizer));
    expect((await world.get(VolumeAttachment, "va")).metadata?.finalizers).toEqual([foreign]);
    expect(await world.requests()).toEqual(["patch volumeattachments va"]);
  });

  test("neither nodes nor volumes are watched", async () => {
    await using world = await trivialWorld();
    const kinds = (await world.cluster.requests({ verb: "watch" }))
      .filter(({ user }) => user.startsWith("user-"))
      .map(({ resource }) => resource);
    expect(new Set(kinds)).toEqual(new Set(["volumeattachments"]));
  });
});
