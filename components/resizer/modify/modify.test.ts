import { expect, test } from "bun:test";
import { VolumeAttributesClass } from "@csi-sidecars/kube";
import { driverName } from "../testing/objects.ts";
import { startWorld } from "../testing/resizer-world.ts";

test("a claim that names a class has its volume modified: two writes of the claim, one of the volume, one call", async () => {
  await using world = await startWorld();
  await world.create(VolumeAttributesClass, { metadata: { name: "gold" }, driverName, parameters: { iops: "3" } });
  await world.addClaim();
  await world.patchClaim({ spec: { volumeAttributesClassName: "gold" } });
  const { status } = await world.until((claim) => claim.status?.currentVolumeAttributesClassName === "gold");
  expect(status).toMatchObject({ modifyVolumeStatus: undefined, conditions: undefined });
  expect((await world.volume()).spec?.volumeAttributesClassName).toBe("gold");
  expect(world.driver.calls("ControllerModifyVolume").map(({ request }) => request.mutableParameters)).toEqual([{ iops: "3" }]);
  expect(await world.requests()).toEqual([
    "patch persistentvolumeclaims/status data",
    "patch persistentvolumes pv-data",
    "patch persistentvolumeclaims/status data",
  ]);
});
