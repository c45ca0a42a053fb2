import { expect, test } from "bun:test";
import { mergePatch, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttributesClass } from "@csi-sidecars/kube";
import { presets, step } from "@csi-sidecars/testcluster";
import { attributesClassObject } from "../../components/resizer/modify/testing/attributes-class.ts";
import { claimOf, className, handleOf, inDefault, statusOf, volumeOf } from "../../components/resizer/testing/objects.ts";
import { until } from "../e2e/testing/until.ts";
import { type Replicas, startReplicas } from "./testing/replicas.ts";

const methods = ["ControllerExpandVolume", "ControllerModifyVolume"] as const;
const capabilities = { ...presets.attachable, expansion: ["ONLINE"], controller: ["EXPAND_VOLUME", "MODIFY_VOLUME"] } as const;

/** A bound claim of 1Gi that asks for 2Gi and another class, and its volume. */
async function addChangedClaim({ cluster: { admin }, driver }: Replicas): Promise<void> {
  const { name } = driver.settings;
  driver.addVolume({ id: handleOf("data") });
  await admin.create(StorageClass, { metadata: { name: className }, provisioner: name, allowVolumeExpansion: true });
  await admin.create(VolumeAttributesClass, attributesClassObject("gold", undefined, name));
  const claim = await admin.create(PersistentVolumeClaim, claimOf());
  await admin.create(
    PersistentVolume,
    volumeOf({ volume: { spec: { csi: { driver: name, volumeHandle: handleOf("data") } } } }, claim.metadata?.uid ?? ""),
  );
  await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ status: statusOf() }), { subresource: "status" });
  const spec = { resources: { requests: { storage: "2Gi" } }, volumeAttributesClassName: "gold" };
  await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ spec }));
}

test("a lease that is lost while the driver expands and modifies: the next leader ends both, and nothing of the first one arrives", async () => {
  await using world = await startReplicas({ controllers: "resizer", flags: ["--timeout=5m"], driver: { capabilities } });
  const { cluster, driver } = world;
  const { leader, standby } = await world.elected();
  for (const method of methods) driver.always(method, step.waitFor("answer"));
  await addChangedClaim(world);
  for (const method of methods) await driver.called(method);
  const writes = await world.writesBy(leader);
  leader.api.freeze();
  for (const method of methods) await driver.called(method, 2);
  driver.release("answer");
  await until("the claim has both", async () => {
    const { status } = await cluster.admin.get(PersistentVolumeClaim, inDefault("data"));
    const isGrown = status?.capacity?.storage === "2Gi" && !status.conditions && !status.allocatedResourceStatuses;
    return isGrown && status.currentVolumeAttributesClassName === "gold" && !status.modifyVolumeStatus;
  });
  expect(await world.leader()).toBe(standby);
  leader.api.thaw();
  await until("a candidate again", () => leader.process.output.split("New leader detected").length > 2);
  expect(await world.writesBy(leader)).toBe(writes);
  expect([world.callsBy(leader).length, world.callsBy(standby).length]).toEqual([2, 2]);
  // Each asks for the same: nobody has changed his mind.
  expect(new Set(driver.calls("ControllerExpandVolume").map(({ request }) => request.capacityRange?.requiredBytes))).toEqual(
    new Set([2n ** 31n]),
  );
  expect(driver.overlaps().filter(([one, other]) => one.method === other.method)).toEqual([]);
});
