import { expect, test } from "bun:test";
import { mergePatch, snapshotAnnotation, VolumeSnapshot } from "@csi-sidecars/kube";
import { inDefault } from "../testing/objects.ts";
import { isReady, startSnapshotWorld } from "../testing/snapshot-world.ts";

test("a class that the user names in this moment is not replaced by the default one", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass({ metadata: { annotations: { [snapshotAnnotation.defaultClass]: "true" } } });
  await world.addClass({ metadata: { name: "silver" }, deletionPolicy: "Retain" });
  await world.addClaim();
  const name = mergePatch({ spec: { volumeSnapshotClassName: "silver" } });
  const meanwhile = async () => void (await world.admin.patch(VolumeSnapshot, inDefault("backup"), name));
  world.controller.disturb({ resource: VolumeSnapshot, how: "sent", meanwhile });
  const snapshot = await world.addSnapshot({ spec: { volumeSnapshotClassName: undefined } });
  const content = await world.untilContent(snapshot);
  expect([content.spec?.volumeSnapshotClassName, content.spec?.deletionPolicy]).toEqual(["silver", "Retain"]);
  await world.answer(content.metadata?.name ?? "");
  expect((await world.untilSnapshot(isReady)).spec?.volumeSnapshotClassName).toBe("silver");
});
