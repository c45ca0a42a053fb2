import { expect, test } from "bun:test";
import { groupSnapshotAnnotation, mergePatch, VolumeGroupSnapshot } from "@csi-sidecars/kube";
import { inDefault, startGroupWorld } from "../testing/group-world.ts";

test("a class that the user names in this moment is not replaced by the default one", async () => {
  await using world = await startGroupWorld();
  await world.addClass("gold", {}, { [groupSnapshotAnnotation.defaultClass]: "true" });
  await world.addClass("silver");
  await world.addClaim("a");
  const name = mergePatch({ spec: { volumeGroupSnapshotClassName: "silver" } });
  const meanwhile = async () => void (await world.admin.patch(VolumeGroupSnapshot, inDefault("group"), name));
  world.controller.disturb({ resource: VolumeGroupSnapshot, how: "sent", meanwhile });
  await world.addGroup("group", { source: { selector: { matchLabels: { app: "db" } } } });
  const { spec } = await world.untilGroup(({ status }) => status?.readyToUse);
  expect(spec?.volumeGroupSnapshotClassName).toBe("silver");
  expect((await world.groupContents()).map((content) => content.spec?.volumeGroupSnapshotClassName)).toEqual(["silver"]);
});
