import { expect, test } from "bun:test";
import {
  ignoreNotFound,
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  type V1PersistentVolumeClaim,
} from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { annotation } from "../names.ts";
import { claim, inDefault, staticVolume } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld } from "../testing/provisioner-world.ts";

/*
 * With --cleanup-orphaned-volumes, a volume that was saved and deleted must not be asked for again: it would be created a second time,
 * and if that process is killed too, the next one finds the first volume's deletion in the history and looks no further. What a process
 * deletes while it searches is no part of the history that it reads.
 */

/** A shared server remembers the claims of other tests of the driver. */
const name = `killed-${crypto.randomUUID().slice(0, 8)}.example.com`;

/** A process is killed before it saves the volume of `data`, and the claim is deleted. Nobody asked for the volume of `other`. */
async function killedBeforeSave(): Promise<{ readonly world: ProvisionerWorld; readonly data: V1PersistentVolumeClaim }> {
  await using opened = new AsyncDisposableStack();
  const world = opened.use(await startWorld({ driver: { name }, flags: { cleanupOrphanedVolumes: true } }));
  world.disturb({ verb: "create", resource: PersistentVolume, how: "dies before" });
  await world.createClass("fast", { provisioner: name });
  const data = await world.createClaim("data");
  await world.untilTrue(() => world.dead);
  await world.create(PersistentVolumeClaim, claim("other", {}, { annotations: { [annotation.provisioner]: name } }));
  for (const each of ["data", "other"]) {
    await world.deleteClaim(each);
    await world.untilGone(PersistentVolumeClaim, inDefault(each));
  }
  opened.move();
  return { world, data };
}

/** Starts a process that has not read yet which volumes were deleted, and does not delete any either. Returns how to let it go on. */
async function searching(world: ProvisionerWorld): Promise<{ readonly deleteVolumes: () => void; readonly endSearch: () => void }> {
  const endSearch = world.histories.hold(PersistentVolume);
  world.driver.script("DeleteVolume", step.waitFor("the search"));
  await world.run();
  await world.histories.reached(PersistentVolume);
  return { deleteVolumes: () => world.driver.release("the search"), endSearch };
}

/** kube-controller-manager may take a quarter of a minute to see that an unbound claim is gone. */
const nothingLeft = (world: ProvisionerWorld) =>
  world.untilTrue(async () => world.driver.volumes.size === 0 && (await world.volumes()).length === 0, 25_000);

const callsFor = ({ driver }: ProvisionerWorld, { metadata }: V1PersistentVolumeClaim) =>
  driver.calls("CreateVolume").filter(({ request }) => request.name === `pvc-${metadata?.uid}`);

/** Waits until the process has also asked for the volume of `other`: claims are asked for in the order of their deletion. */
async function endOfSearch(world: ProvisionerWorld, data: V1PersistentVolumeClaim, endSearch: () => void): Promise<void> {
  const others = () => world.driver.calls("CreateVolume").length - callsFor(world, data).length;
  const before = others();
  endSearch();
  await world.driver.until("the volume of the other claim is asked for", () => others() > before);
  await nothingLeft(world);
}

test("a volume that the process finds and deletes while it searches is not asked for again", async () => {
  const { world: started, data } = await killedBeforeSave();
  await using world = started;
  world.disturb({ verb: "create", resource: PersistentVolume, how: "dies after" });
  world.driver.script("CreateVolume", step.act, step.hang);
  await world.run();
  await world.untilTrue(() => world.dead);
  expect(callsFor(world, data)).toHaveLength(2);
  const search = await searching(world);
  search.deleteVolumes();
  await nothingLeft(world);
  await endOfSearch(world, data, search.endSearch);
  expect(callsFor(world, data)).toHaveLength(2);
}, 60_000);

test("nor is one that the killed process saves with its last request, after the search has begun", async () => {
  const { world: started, data } = await killedBeforeSave();
  await using world = started;
  const search = await searching(world);
  const [volumeHandle = ""] = world.driver.volumes.keys();
  const { uid = "" } = data.metadata ?? {};
  const spec = { csi: { driver: name, volumeHandle }, claimRef: { kind: "PersistentVolumeClaim", ...inDefault("data"), uid } };
  await world.create(PersistentVolume, staticVolume(`pvc-${uid}`, spec, { annotations: { [annotation.provisionedBy]: name } }));
  await world.driver.called("DeleteVolume", 1, 25_000);
  search.deleteVolumes();
  await nothingLeft(world);
  await endOfSearch(world, data, search.endSearch);
  expect(callsFor(world, data)).toHaveLength(1);
}, 60_000);

test("nor is one whose claim the cache still has when the volume is gone", async () => {
  // Nobody binds the claim, and the test releases the volume.
  await using world = await startWorld({ driver: { name }, controllers: false });
  const fast = await world.createClass("fast", { provisioner: name });
  await world.create(PersistentVolumeClaim, claim("data", {}, { annotations: { [annotation.provisioner]: name } }));
  await world.untilTrue(async () => (await world.volumes()).length === 1);
  await world.kill();
  await world.run();
  const reconciled = async () => Number(/workqueue_work_duration_seconds_count\{name="claims"\} (\d+)/.exec(await world.metrics())?.[1]);
  await world.untilTrue(async () => (await reconciled()) > 0);
  const release = world.holdWatch(PersistentVolumeClaim);
  const remove = mergePatch({ metadata: { finalizers: null } });
  await world.deleteClaim("data");
  await ignoreNotFound(world.admin.patch(PersistentVolumeClaim, inDefault("data"), remove));
  const [saved] = await world.volumes();
  const ref = { name: saved?.metadata?.name ?? "" };
  await world.admin.patch(PersistentVolume, ref, mergePatch({ status: { phase: "Released" } }), { subresource: "status" });
  await world.until(PersistentVolume, ref, ({ metadata }) => metadata?.deletionTimestamp);
  await ignoreNotFound(world.admin.patch(PersistentVolume, ref, remove));
  await nothingLeft(world);
  const before = await reconciled();
  // A new class is a reason to try again for the claims that wait for one.
  await world.admin.delete(StorageClass, { name: "fast" });
  await world.create(StorageClass, { ...fast, metadata: { name: "fast" } });
  await world.untilTrue(async () => (await reconciled()) > before);
  expect(world.driver.calls("CreateVolume")).toHaveLength(1);
  release();
}, 60_000);
