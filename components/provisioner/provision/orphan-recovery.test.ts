import { describe, expect, test } from "bun:test";
import { type Clock, systemClock } from "@csi-sidecars/base";
import { mergePatch, PersistentVolume, PersistentVolumeClaim, Secret, StorageClass } from "@csi-sidecars/kube";
import { type Disturbance, RelistedKind, step } from "@csi-sidecars/testcluster";
import { claim, inDefault, staticVolume, token } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld, type WorldOptions } from "../testing/provisioner-world.ts";

const flags = { cleanupOrphanedVolumes: true, timeout: 200 };
/** A shared server remembers the claims of other tests of the driver. */
const name = `recall-${crypto.randomUUID().slice(0, 8)}.example.com`;

/** The process is killed while the driver makes the volume of `data`, and the claim deleted before the next one runs. */
async function forgotten(options: WorldOptions = {}, reclaimPolicy: "Delete" | "Retain" = "Delete"): Promise<ProvisionerWorld> {
  await using opened = new AsyncDisposableStack();
  const world = opened.use(await startWorld({ ...options, driver: { name, ...options.driver }, flags: { ...flags, ...options.flags } }));
  world.driver.always("CreateVolume", step.hangAfter);
  await world.createClass("fast", { provisioner: name, reclaimPolicy });
  await world.createClaim("data");
  await world.driver.called("CreateVolume");
  await world.kill();
  await world.deleteClaim("data");
  await world.untilGone(PersistentVolumeClaim, inDefault("data"));
  world.driver.always("CreateVolume", step.act);
  expect(world.driver.volumes.size).toBe(1);
  opened.move();
  return world;
}

const nothingLeft = (world: ProvisionerWorld) =>
  world.untilTrue(async () => world.driver.volumes.size === 0 && (await world.volumes()).length === 0, 30_000);

/** Of the driver, which has only one. */
const nameOfVolume = ({ driver }: ProvisionerWorld) => [...driver.volumes.values()][0]?.name;

const timesAsked = ({ driver }: ProvisionerWorld, volume: string | undefined) =>
  driver.calls("CreateVolume").filter(({ request }) => request.name === volume).length;

const givenUp = ({ log }: ProvisionerWorld, volume?: string) =>
  log.lines.filter(
    ({ message, fields }) =>
      message === "Gave up looking for the orphaned volume of a deleted claim" && (volume === undefined || fields.volume === volume),
  );

/** A whole round of work, in which a volume that is wrongly taken for lost would be saved and deleted. */
async function anotherRound(world: ProvisionerWorld): Promise<void> {
  await world.createClaim("later");
  await world.bound("later");
}

describe("with --cleanup-orphaned-volumes", () => {
  test.each(["Delete", "Retain"] as const)(
    "the volume of a claim that was deleted after a kill goes too, with policy %s",
    async (policy) => {
      await using world = await forgotten({}, policy);
      await world.run();
      await nothingLeft(world);
      expect(world.driver.calls("DeleteVolume")).toHaveLength(1);
      await world.untilTrue(() => Object.values(world.state.sizes()).every((size) => size === 0));
    },
    40_000,
  );

  test("so does that of a claim which is deleted before the next process could ask the driver", async () => {
    await using world = await startWorld({ driver: { name }, flags });
    const parameters = {
      "csi.storage.k8s.io/provisioner-secret-name": "key",
      "csi.storage.k8s.io/provisioner-secret-namespace": "default",
    };
    await world.create(Secret, { metadata: inDefault("key"), data: {} });
    await world.createClass("fast", { provisioner: name, parameters });
    world.driver.script("CreateVolume", step.hangAfter);
    await world.createClaim("data");
    await world.driver.called("CreateVolume");
    await world.kill();
    const unreadable: Disturbance = { verb: "get", resource: Secret, how: "failed", times: Number.POSITIVE_INFINITY };
    world.disturb(unreadable);
    await world.run();
    await world.untilEvent("data", "ProvisioningFailed: error getting secret key");
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    await world.untilTrue(() => world.state.sizes().orphans > 0);
    unreadable.times = 12;
    await nothingLeft(world);
    expect(world.driver.calls("DeleteVolume")).toHaveLength(1);
  }, 40_000);

  test("a claim that a list leaves out, and that the API server has, gets a volume of its class", async () => {
    const claims = new RelistedKind(PersistentVolumeClaim);
    await using world = await startWorld({ driver: { name }, flags, stopped: true, informers: (client) => claims.client(client) });
    const listAgain = (how: "right" | "empty") =>
      claims.relist(how, () =>
        world.admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ metadata: { labels: { list: how } } })),
      );
    const parameters = {
      "csi.storage.k8s.io/provisioner-secret-name": "key",
      "csi.storage.k8s.io/provisioner-secret-namespace": "default",
    };
    await world.createClass("fast", { provisioner: name, parameters, reclaimPolicy: "Retain" });
    await world.createClaim("data");
    await world.run();
    await world.untilEvent("data", "ProvisioningFailed: error getting secret key");
    await listAgain("empty");
    await world.untilTrue(() => world.log.lines.some(({ message }) => message.startsWith("A claim was deleted without a volume")));
    await world.create(Secret, { metadata: inDefault("key"), data: {} });
    const isAsked = async () => (await world.requests()).includes("get persistentvolumeclaims");
    await world.untilTrue(async () => (await isAsked()) || (await world.volumes()).length > 0);
    await listAgain("right");
    const { volume } = await world.bound("data");
    expect(volume.spec?.persistentVolumeReclaimPolicy).toBe("Retain");
    await world.untilTrue(() => world.state.sizes().orphans === 0);
  }, 40_000);

  test("the driver is asked until it answers", async () => {
    await using world = await forgotten();
    world.driver.script("CreateVolume", step.hangAfter, step.fail("Unavailable", "busy"), step.lost);
    await world.run();
    await nothingLeft(world);
  }, 40_000);

  test("the process may be killed again", async () => {
    await using world = await forgotten();
    world.driver.script("CreateVolume", step.hangAfter);
    const before = world.driver.calls("CreateVolume").length;
    await world.run();
    await world.driver.called("CreateVolume", before + 1);
    await world.kill();
    await world.run();
    await nothingLeft(world);
  }, 40_000);

  test.each(["Internal", "ResourceExhausted", "AlreadyExists", "NotFound"] as const)(
    "the driver is asked again after %s, which does not say that there is no volume",
    async (code) => {
      await using world = await forgotten();
      world.driver.script("CreateVolume", step.fail(code, "no"));
      await world.run();
      await nothingLeft(world);
    },
    40_000,
  );

  test("a driver that keeps refusing is given up, and the log names the volume", async () => {
    await using world = await forgotten();
    const volume = nameOfVolume(world);
    world.driver.always("CreateVolume", step.fail("Internal", "no"));
    await world.run();
    await world.untilTrue(() => givenUp(world, volume).length > 0);
    expect(givenUp(world, volume)).toMatchObject([{ severity: "error", fields: { claim: "default/data" } }]);
    expect(timesAsked(world, volume)).toBeGreaterThan(10);
    expect(nameOfVolume(world)).toBe(volume);
  });

  test("a driver that finds the request invalid cannot have created the volume for it", async () => {
    await using world = await forgotten();
    const volume = nameOfVolume(world);
    world.driver.always("CreateVolume", step.fail("InvalidArgument", "no"));
    await world.run();
    await world.untilTrue(() => timesAsked(world, volume) === 2);
    await world.untilTrue(() => world.state.sizes().orphans === 0);
    expect([timesAsked(world, volume), givenUp(world)]).toEqual([2, []]);
  });

  test("a volume that is not what was asked for is deleted, and not asked for again", async () => {
    await using world = await forgotten();
    const volume = nameOfVolume(world);
    world.driver.always(
      "CreateVolume",
      step.reply((_, carryOut) => {
        const made = carryOut().volume;
        return { volume: made && { ...made, capacityBytes: 1n } };
      }),
    );
    await world.run();
    await nothingLeft(world);
    await world.untilTrue(() => world.state.sizes().orphans === 0);
    expect([timesAsked(world, volume), givenUp(world)]).toEqual([2, []]);
  }, 40_000);

  test("a claim whose class is gone is given up after some time", async () => {
    await using world = await forgotten();
    await world.admin.delete(StorageClass, { name: "fast" });
    await world.run();
    await world.untilTrue(() => givenUp(world).length > 0);
  });

  test("a volume that somebody made an object for by hand is left alone", async () => {
    await using world = await forgotten();
    const [volumeHandle = "", made] = [...world.driver.volumes][0] ?? [];
    await world.create(PersistentVolume, staticVolume("by-hand", { storageClassName: "other", csi: { driver: name, volumeHandle } }));
    const asked = () => world.driver.calls("CreateVolume").filter(({ request }) => request.name === made?.name).length;
    const before = asked();
    await world.run();
    await world.driver.until("the driver is asked again", () => asked() > before);
    await anotherRound(world);
    expect((await world.volumes()).map(({ metadata }) => metadata?.name)).toContain("by-hand");
    // A server that tests share remembers the claims of others, too.
    expect(world.driver.calls("DeleteVolume").filter(({ request }) => request.volumeId === volumeHandle)).toEqual([]);
    expect(world.driver.volumes.has(volumeHandle)).toBe(true);
  });

  test("a claim that had its volume, and one that was settled by an earlier process, are not asked for", async () => {
    await using world = await forgotten();
    await world.run();
    await nothingLeft(world);
    await world.createClaim("used");
    await world.bound("used");
    await world.deleteClaim("used");
    await nothingLeft(world);
    await world.stop();
    const before = world.driver.calls("CreateVolume").length;
    await world.run();
    // What is removed is told in order: when the last claim is asked for, all before it were looked at.
    await world.kill();
    await world.create(PersistentVolumeClaim, claim("last", {}, { annotations: { "volume.kubernetes.io/storage-provisioner": name } }));
    await world.deleteClaim("last");
    await world.untilGone(PersistentVolumeClaim, inDefault("last"));
    await world.run();
    await world.driver.called("CreateVolume", before + 1, 15_000);
    await nothingLeft(world);
    expect(world.driver.calls("CreateVolume")).toHaveLength(before + 1);
  }, 60_000);
});

test("a claim that waits for its first consumer is not asked for: the driver has never heard of it", async () => {
  await using world = await startWorld({ driver: { name }, flags, stopped: true });
  await world.createClass("late", { provisioner: name, volumeBindingMode: "WaitForFirstConsumer" });
  await world.createClass("fast", { provisioner: name });
  const createAndDelete = async (claimName: string, storageClassName: string) => {
    const { metadata } = await world.createClaim(claimName, { storageClassName });
    await world.untilEvent(claimName, storageClassName === "late" ? "WaitForFirstConsumer" : "ExternalProvisioning");
    await world.deleteClaim(claimName);
    await world.untilGone(PersistentVolumeClaim, inDefault(claimName));
    return `pvc-${metadata?.uid}`;
  };
  const names = () => world.driver.calls("CreateVolume").map(({ request }) => request.name);
  const waiting = await createAndDelete("waiting", "late");
  const asked = await createAndDelete("asked", "fast");
  await world.run();
  // In the order of their deletion.
  await world.driver.until("the other claim is asked for", () => names().includes(asked));
  expect(names()).not.toContain(waiting);
  await nothingLeft(world);
}, 40_000);

test("a claim without finalizers, whose deletion has no time, is not asked for when it was made long ago", async () => {
  let now: number | undefined;
  const clock: Clock = { ...systemClock, now: () => now ?? Date.now() };
  await using world = await startWorld({ driver: { name }, flags, clock, controllers: false });
  await world.createClass("fast", { provisioner: name });
  world.driver.always("CreateVolume", step.hangAfter);
  const annotations = { "volume.kubernetes.io/storage-provisioner": name };
  const createdAt = async (claimName: string) => {
    const { metadata } = await world.createClaim(claimName, {}, { annotations });
    return Date.parse(metadata?.creationTimestamp ?? "");
  };
  const deleteAtOnce = async (claimName: string) => {
    await world.admin.patch(PersistentVolumeClaim, inDefault(claimName), mergePatch({ metadata: { finalizers: null } }));
    await world.deleteClaim(claimName);
    await world.untilGone(PersistentVolumeClaim, inDefault(claimName));
  };
  const old = await createdAt("old");
  await world.driver.called("CreateVolume");
  await world.kill();
  await deleteAtOnce("old");
  await world.untilTrue(() => Date.now() > old + 3_000);
  await createdAt("recent");
  await deleteAtOnce("recent");

  now = old + 10 * 60_000 + 1_000;
  world.driver.always("CreateVolume", step.act);
  await world.run();
  await world.driver.called("CreateVolume", 2);
  await world.untilTrue(() => Object.values(world.state.sizes()).every((size) => size === 0));
  const [first, ...later] = world.driver.calls("CreateVolume").map(({ request }) => request.name);
  expect(later).toHaveLength(1);
  expect(later).not.toContain(first);
}, 40_000);

test("another claim of the same name does not say which secret is used", async () => {
  await using world = await startWorld({ driver: { name }, flags });
  const template = {
    "csi.storage.k8s.io/provisioner-secret-name": token("pvc.annotations['key']"),
    "csi.storage.k8s.io/provisioner-secret-namespace": "default",
  };
  const data = { from: Buffer.from("secret").toString("base64") };
  for (const secret of ["mine", "theirs"]) await world.create(Secret, { metadata: inDefault(secret), data });
  await world.createClass("fast", { provisioner: name, parameters: template });
  world.driver.always("CreateVolume", step.hangAfter);
  const { metadata } = await world.createClaim("data", {}, { annotations: { key: "mine" } });
  await world.driver.called("CreateVolume");
  await world.kill();
  await world.deleteClaim("data");
  await world.untilGone(PersistentVolumeClaim, inDefault("data"));
  await world.createClaim("data", {}, { annotations: { key: "theirs" } });
  world.driver.always("CreateVolume", step.act);
  const asked = () => world.driver.calls("CreateVolume").filter(({ request }) => request.name === `pvc-${metadata?.uid}`);
  const before = asked().length;
  await world.run();
  await world.bound("data");
  await world.untilTrue(() => givenUp(world).length > 0);
  expect(asked()).toHaveLength(before);
}, 40_000);

test("without it such a volume stays, and nobody is told", async () => {
  await using world = await forgotten({ flags: { cleanupOrphanedVolumes: false } });
  const before = world.driver.calls("CreateVolume").length;
  await world.run();
  await anotherRound(world);
  expect(world.driver.calls("CreateVolume")).toHaveLength(before + 1);
  expect(world.driver.volumes.size).toBe(2);
});
