import { expect, test } from "bun:test";
import { withInheritedNames } from "@csi-sidecars/base/testing";
import { CSINode, PersistentVolume, Secret, VolumeAttachment } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { startWorld } from "./testing/attacher-world.ts";
import { attachment, csiNode, volume } from "./testing/objects.ts";

const ref = { controllerPublishSecretRef: { name: "s", namespace: "default" } };
const encoded = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64");

test("a secret reaches the driver and nothing else: no log line, no object, even if the driver repeats it in its errors", async () => {
  const password = "correct-horse-battery";
  const leak = step.fail("Unauthenticated", `login with ${password} failed`);
  await using world = await startWorld({ driver: { script: { ControllerPublishVolume: [leak], ControllerUnpublishVolume: [leak] } } });
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume({ csi: ref }));
  await world.create(Secret, { metadata: { name: "s", namespace: "default" }, data: { password: encoded(password) } });
  await world.create(VolumeAttachment, attachment());
  const va = await world.until((seen) => seen.status?.attached);
  await world.admin.delete(VolumeAttachment, { name: "va" });
  await world.untilGone(VolumeAttachment, "va");
  expect(world.driver.calls("ControllerPublishVolume").map(({ request }) => request.secrets)).toEqual([{ password }, { password }]);
  expect(world.errors()).toHaveLength(3);
  const written = Bun.inspect([world.log.lines, world.errors(), va], { depth: 12 });
  expect(written).toContain("Unauthenticated");
  expect(written).not.toContain(password);
  expect(written).not.toContain(encoded(password));
});

test("keys that every object inherits reach the driver from volume and secret, and the attachment from the driver", async () => {
  const publishContext = withInheritedNames("from-driver");
  const volumeAttributes = withInheritedNames("from-volume");
  await using world = await startWorld({ driver: { script: { ControllerPublishVolume: [step.reply({ publishContext })] } } });
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume({ csi: { ...ref, volumeAttributes } }));
  await world.create(Secret, { metadata: { name: "s", namespace: "default" }, data: withInheritedNames(encoded("from-secret")) });
  await world.create(VolumeAttachment, attachment());
  const va = await world.until((seen) => seen.status?.attached);
  const [call] = world.driver.calls("ControllerPublishVolume");
  expect(call?.request.secrets).toEqual(withInheritedNames("from-secret"));
  expect(call?.request.volumeContext).toEqual(volumeAttributes);
  expect(va.status?.attachmentMetadata).toEqual(publishContext);
});

test("every call reads the secret again", async () => {
  await using world = await startWorld({
    driver: { script: { ControllerPublishVolume: [step.waitFor("go", step.fail("Internal", "no"))] } },
  });
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume({ csi: ref }));
  await world.create(Secret, { metadata: { name: "s", namespace: "default" }, data: { a: encoded("old") } });
  await world.create(VolumeAttachment, attachment());
  await world.driver.called("ControllerPublishVolume");
  await world.admin.patch(Secret, { name: "s", namespace: "default" }, { type: "merge", body: { data: { a: encoded("new") } } });
  world.driver.release("go");
  await world.until((seen) => seen.status?.attached);
  expect(world.driver.calls("ControllerPublishVolume").map(({ request }) => request.secrets)).toEqual([{ a: "old" }, { a: "new" }]);
});

test("a value that is not text is refused, by the name of its key", async () => {
  await using world = await startWorld();
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume({ csi: ref }));
  await world.create(Secret, { metadata: { name: "s", namespace: "default" }, data: { key: encoded(new Uint8Array([0xff, 0xfe])) } });
  await world.create(VolumeAttachment, attachment());
  await world.until(
    (seen) => seen.status?.attachError?.message === 'failed to load secret "default/s": the value of "key" is not valid UTF-8',
  );
  expect(world.driver.calls("ControllerPublishVolume")).toEqual([]);
});

test("without the optional rule about secrets, volumes without one are attached, the others have an error", async () => {
  await using world = await startWorld({ withoutSecrets: true });
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume({ csi: ref }));
  await world.create(PersistentVolume, volume({ metadata: { name: "pv2" }, csi: { volumeHandle: "handle2" } }));
  await world.create(VolumeAttachment, attachment());
  await world.create(VolumeAttachment, attachment({ metadata: { name: "plain" }, spec: { source: { persistentVolumeName: "pv2" } } }));
  await world.until((seen) => seen.status?.attached, "plain");
  const { status } = await world.until((seen) => seen.status?.attachError);
  expect(status?.attachError?.message).toStartWith('failed to load secret "default/s": secrets "s" is forbidden');
});
