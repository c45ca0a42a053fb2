import { describe, expect, test } from "bun:test";
import { Event, mergePatch, PersistentVolume, PersistentVolumeClaim, Secret, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { type Disturbance, step } from "@csi-sidecars/testcluster";
import { claim, driverName, inDefault, staticVolume } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld, type WorldOptions } from "../testing/provisioner-world.ts";

/** No volume without its PersistentVolume, no PersistentVolume without its volume. */
async function nothingLost(world: ProvisionerWorld): Promise<void> {
  const handles = (await world.volumes()).map(({ spec }) => spec?.csi?.volumeHandle ?? "").sort();
  expect(handles).toEqual([...world.driver.volumes.keys()].sort());
}

async function nothingLeft(world: ProvisionerWorld): Promise<void> {
  await world.untilTrue(async () => (await world.volumes()).length === 0);
  expect(world.driver.volumes.size).toBe(0);
}

describe("the process dies while a volume is made", () => {
  const deaths: readonly [string, Disturbance | undefined, WorldOptions["driver"]][] = [
    ["before the PersistentVolume is created", { verb: "create", resource: PersistentVolume, how: "dies before" }, {}],
    ["after the PersistentVolume is created", { verb: "create", resource: PersistentVolume, how: "dies after" }, {}],
  ];
  test.each(deaths)("%s", async (_, disturbance, driver) => {
    await using world = await startWorld({ driver });
    if (disturbance) world.disturb(disturbance);
    await world.createClass();
    await world.createClaim("data");
    await world.untilTrue(() => world.dead);
    await world.stop();
    await world.run();
    await world.bound("data");
    await nothingLost(world);
    expect(world.driver.volumes.size).toBe(1);
  });

  test("while the driver works", async () => {
    await using world = await startWorld({ driver: { script: { CreateVolume: [step.waitFor("killed")] } } });
    await world.createClass();
    await world.createClaim("data");
    await world.driver.called("CreateVolume");
    const dying = world.kill();
    world.driver.release("killed");
    await dying;
    await world.run();
    await world.bound("data");
    expect(world.driver.volumes.size).toBe(1);
    await nothingLost(world);
  });
});

describe("the process dies while a volume is deleted", () => {
  const deaths: readonly [string, Disturbance][] = [
    ["before the object is deleted", { verb: "delete", resource: PersistentVolume, how: "dies before" }],
    ["after the object is deleted", { verb: "delete", resource: PersistentVolume, how: "dies after" }],
    ["before the finalizer is taken off", { verb: "patch", resource: PersistentVolume, how: "dies before" }],
    ["after the finalizer is taken off", { verb: "patch", resource: PersistentVolume, how: "dies after" }],
  ];
  test.each(deaths)("%s", async (_, disturbance) => {
    await using world = await startWorld();
    await world.createClass();
    await world.createClaim("data");
    await world.bound("data");
    world.disturb(disturbance);
    await world.deleteClaim("data");
    await world.untilTrue(() => world.dead);
    await world.stop();
    await world.run();
    await nothingLeft(world);
  });
});

describe("requests that fail while a volume is made or deleted are repeated", () => {
  const disturbances: readonly [string, Disturbance][] = [
    ["the PersistentVolume is refused twice", { verb: "create", resource: PersistentVolume, how: "failed", times: 2 }],
    ["the answer to its creation is lost", { verb: "create", resource: PersistentVolume, how: "lost" }],
    ["its deletion is refused", { verb: "delete", resource: PersistentVolume, how: "failed" }],
    ["the answer to its deletion is lost", { verb: "delete", resource: PersistentVolume, how: "lost" }],
    ["taking off the finalizer is refused", { verb: "patch", resource: PersistentVolume, how: "failed" }],
    ["the answer to that is lost", { verb: "patch", resource: PersistentVolume, how: "lost" }],
  ];
  test.each(disturbances)("%s", async (_, disturbance) => {
    await using world = await startWorld();
    world.disturb(disturbance);
    await world.createClass();
    await world.createClaim("data");
    await world.bound("data");
    await nothingLost(world);
    expect(world.driver.calls("CreateVolume")).toHaveLength(1);
    await world.deleteClaim("data");
    await nothingLeft(world);
    expect(world.driver.calls("DeleteVolume")).toHaveLength(1);
  });
});

describe("the claim is deleted", () => {
  const failures = [
    ["after an answer was lost", step.lost],
    ["after a call that was never answered", step.hangAfter],
    ["while the driver says it is still at it", step.fail("Aborted", "in progress", { effect: true })],
    ["while the driver is unavailable", step.fail("Unavailable", "busy")],
  ] as const;
  test.each(failures)("%s: the driver is asked until it answers, and the volume is deleted", async (_, failure) => {
    await using world = await startWorld({ flags: { timeout: 100 } });
    world.driver.always("CreateVolume", failure);
    await world.createClass();
    await world.createClaim("data");
    await world.untilEvent("data", "ProvisioningFailed");
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    const before = world.driver.calls("CreateVolume").length;
    await world.driver.called("CreateVolume", before + 1);
    world.driver.always("CreateVolume", step.act);
    await world.driver.called("DeleteVolume");
    await nothingLeft(world);
    const requests = world.driver.calls("CreateVolume").map(({ request }) => request);
    for (const request of requests) expect(request).toEqual(requests[0]!);
  });

  test("while the driver works, and the driver then fails for good: nobody asks again", async () => {
    await using world = await startWorld({
      driver: { script: { CreateVolume: [step.lostBefore, step.waitFor("deleted", step.fail("Internal", "no"))] } },
    });
    await world.createClass();
    await world.createClaim("data");
    await world.driver.called("CreateVolume", 2);
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    world.driver.release("deleted");
    await world.createClaim("other");
    await world.bound("other");
    expect(await world.metrics()).toContain("claims_in_progress 0");
    const names = world.driver.calls("CreateVolume").map(({ request }) => request.name);
    expect(names.filter((name) => name === names[0])).toHaveLength(2);
  });

  test("while the driver works: the volume gets its object, which is released and deleted", async () => {
    await using world = await startWorld({ driver: { script: { CreateVolume: [step.waitFor("deleted")] } } });
    await world.createClass();
    await world.createClaim("data");
    await world.driver.called("CreateVolume");
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    world.driver.release("deleted");
    await world.driver.called("DeleteVolume");
    await nothingLeft(world);
  });

  test("while its volume cannot be saved: it is saved later, and deleted", async () => {
    await using world = await startWorld();
    const refusal: Disturbance = { verb: "create", resource: PersistentVolume, how: "failed", times: Number.POSITIVE_INFINITY };
    world.disturb(refusal);
    await world.createClass();
    await world.createClaim("data");
    await world.untilTrue(async () => (await world.metrics()).includes("unsaved_volumes 1"));
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    expect(world.driver.volumes.size).toBe(1);
    refusal.times = 0;
    await world.driver.called("DeleteVolume", 1, 15_000);
    await nothingLeft(world);
  });
});

describe("the volume's object", () => {
  test("is waited for: a claim that changes meanwhile asks for no second volume", async () => {
    await using world = await startWorld();
    const refusal: Disturbance = { verb: "create", resource: PersistentVolume, how: "failed", times: Number.POSITIVE_INFINITY };
    world.disturb(refusal);
    await world.createClass();
    await world.createClaim("data");
    await world.untilTrue(async () => (await world.metrics()).includes("unsaved_volumes 1"));
    const adds = async () => Number(/workqueue_adds_total\{name="claims"\} (\d+)/.exec(await world.metrics())?.[1]);
    const before = await adds();
    const annotations = { "volume.kubernetes.io/selected-node": "somewhere" };
    await world.admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ metadata: { annotations } }));
    await world.untilTrue(async () => (await adds()) > before);
    refusal.times = 0;
    await world.bound("data");
    expect(world.driver.calls("CreateVolume")).toHaveLength(1);
  });

  test("that the API server rejects is reported to the user, and retried", async () => {
    await using world = await startWorld();
    world.disturb({ verb: "create", resource: PersistentVolume, how: "failed", times: Number.POSITIVE_INFINITY });
    await world.createClass();
    await world.createClaim("data");
    await world.untilEvent("data", "ProvisioningFailed: the volume exists, but its PersistentVolume cannot be saved: ");
    expect(await world.metrics()).toContain("unsaved_volumes 1");
  });

  test("that can never be saved leaves no volume behind, also when the claim is deleted", async () => {
    await using world = await startWorld();
    world.disturb({ verb: "create", resource: PersistentVolume, how: "invalid", times: Number.POSITIVE_INFINITY });
    await world.createClass();
    await world.createClaim("data");
    await world.untilEvent("data", "ProvisioningFailed: the API server rejected the PersistentVolume: found wrong by the test");
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    await world.untilTrue(async () => world.driver.volumes.size === 0 && (await world.metrics()).includes("claims_in_progress 0"));
    expect(await world.metrics()).toContain("unsaved_volumes 0");
  });

  test("that is found wrong once is made with a new volume", async () => {
    await using world = await startWorld();
    world.disturb({ verb: "create", resource: PersistentVolume, how: "invalid" });
    world.driver.script("DeleteVolume", step.fail("Internal", "busy"));
    await world.createClass();
    await world.createClaim("data");
    await world.bound("data");
    await nothingLost(world);
    expect(world.driver.volumes.size).toBe(1);
  });

  test("whose name is taken is saved when the other one is deleted", async () => {
    await using world = await startWorld({ controllers: false, driver: { script: { CreateVolume: [step.waitFor("in the way")] } } });
    await world.createClass();
    const annotations = { "volume.kubernetes.io/storage-provisioner": driverName };
    const { metadata } = await world.create(PersistentVolumeClaim, claim("data", {}, { annotations }));
    await world.driver.called("CreateVolume");
    const name = `pvc-${metadata?.uid}`;
    await world.create(PersistentVolume, staticVolume(name, {}, { finalizers: ["example.com/slow"] }));
    await world.admin.delete(PersistentVolume, { name });
    world.driver.release("in the way");
    await world.untilTrue(async () => (await world.metrics()).includes("unsaved_volumes 1"));
    await world.untilEvent(
      "data",
      `its PersistentVolume cannot be saved: PersistentVolume "${name}" already exists and is not this claim's`,
    );
    await world.admin.patch(PersistentVolume, { name }, mergePatch({ metadata: { finalizers: null } }));
    await world.until(PersistentVolume, { name }, ({ spec }) => spec?.csi?.volumeHandle === "vol-1");
    await world.untilTrue(async () => (await world.metrics()).includes("unsaved_volumes 0"));
  });

  test("that was made before a restart, and is deleted unbound, is created again at once", async () => {
    await using world = await startWorld({ controllers: false });
    await world.createClass("fast", { reclaimPolicy: "Retain" });
    const annotations = { "volume.kubernetes.io/storage-provisioner": driverName };
    const { metadata } = await world.create(PersistentVolumeClaim, claim("data", {}, { annotations }));
    const ref = { name: `pvc-${metadata?.uid}` };
    const { metadata: first } = await world.until(PersistentVolume, ref, () => true);
    await world.restart();
    await world.admin.patch(PersistentVolume, ref, mergePatch({ metadata: { finalizers: null } }));
    await world.admin.delete(PersistentVolume, ref);
    await world.until(PersistentVolume, ref, ({ metadata: now }) => now?.uid !== first?.uid);
  });

  test("that came and went unseen, while the watch was interrupted, is created again", async () => {
    await using world = await startWorld();
    const { metadata } = await world.createClaim("data");
    const { uid = "" } = metadata ?? {};
    world.state.volumeCreated(uid, `pvc-${uid}`);
    await world.createClass();
    await world.bound("data");
  });

  test("of another claim is never taken for one's own", async () => {
    await using world = await startWorld({ flags: { volumeNameUuidLength: 1 } });
    await world.createClass();
    const collision = async () =>
      (await world.admin.list(Event)).items.find(({ message }) => message?.includes("belongs to another claim"));
    // A uid begins with one of 16 characters.
    for (let n = 0; n < 17 && !(await collision()); n++) {
      await world.createClaim(`data-${n}`);
      const isBound = async () => (await world.admin.get(PersistentVolumeClaim, inDefault(`data-${n}`))).status?.phase === "Bound";
      await world.untilTrue(async () => (await isBound()) || (await collision()));
    }
    expect((await collision())?.message).toMatch(/^PersistentVolume "pvc-." exists and belongs to another claim/);
    const names = world.driver.calls("CreateVolume").map(({ request }) => request.name);
    expect(new Set(names).size).toBe(names.length);
  });
});

test("claims whose volumes have the same name, all at once: one has the volume, the others wait until it is gone, and get their own", async () => {
  await using world = await startWorld({ flags: { volumeNameUuidLength: 1 } });
  world.driver.always("CreateVolume", step.waitFor("all asked"));
  await world.createClass();
  // A uid begins with one of 16 characters.
  const names = Array.from({ length: 17 }, (_, n) => `data-${n}`);
  for (const name of names) await world.createClaim(name);
  await world.driver.called("CreateVolume", names.length);
  world.driver.always("CreateVolume", step.act);
  world.driver.release("all asked");
  const claims = async () => (await world.admin.list(PersistentVolumeClaim)).items;
  const nameOf = ({ metadata }: V1PersistentVolumeClaim) => `pvc-${metadata?.uid?.slice(0, 1)}`;
  await world.untilTrue(async () => {
    const all = await claims();
    return new Set(all.map(nameOf)).size === all.filter(({ status }) => status?.phase === "Bound").length;
  });
  const waiting = (await claims()).find(({ status }) => status?.phase !== "Bound");
  await world.untilEvent(waiting?.metadata?.name ?? "", "belongs to another claim");
  expect(await world.metrics()).toContain("unsaved_volumes 0");
  const owner = (await claims()).find((each) => waiting && nameOf(each) === nameOf(waiting) && each.status?.phase === "Bound");
  const rivals = (await claims()).filter((each) => waiting && nameOf(each) === nameOf(waiting) && each.status?.phase !== "Bound");
  await world.deleteClaim(owner?.metadata?.name ?? "");
  await world.untilTrue(async () => {
    const uids = new Set(rivals.map(({ metadata }) => metadata?.uid));
    return (await claims()).some(({ metadata, status }) => uids.has(metadata?.uid) && status?.phase === "Bound");
  });
  await nothingLost(world);
}, 60_000);

describe("the component is restarted in the same process", () => {
  test("after the claim of a call without an answer was deleted: the driver is asked again, and no volume is left", async () => {
    await using world = await startWorld({ flags: { timeout: 100 } });
    world.driver.always("CreateVolume", step.hangAfter);
    await world.createClass();
    await world.createClaim("data");
    await world.untilEvent("data", "ProvisioningFailed");
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    await world.restart();
    const before = world.driver.calls("CreateVolume").length;
    await world.driver.called("CreateVolume", before + 1);
    world.driver.always("CreateVolume", step.act);
    await world.driver.called("DeleteVolume", 1, 25_000);
    await nothingLeft(world);
    expect(await world.metrics()).toContain("claims_in_progress 0");
  }, 30_000);

  test("before a volume's object could be saved: it is saved, although its claim is gone", async () => {
    await using world = await startWorld();
    const refusal: Disturbance = { verb: "create", resource: PersistentVolume, how: "failed", times: Number.POSITIVE_INFINITY };
    world.disturb(refusal);
    await world.createClass();
    await world.createClaim("data");
    await world.untilTrue(async () => (await world.metrics()).includes("unsaved_volumes 1"));
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    refusal.times = 0;
    await world.restart();
    await world.driver.called("DeleteVolume", 1, 25_000);
    await nothingLeft(world);
    expect(await world.metrics()).toContain("unsaved_volumes 0");
  }, 30_000);
});

describe("with --in-progress-finalizer", () => {
  const flags = { inProgressFinalizer: true, timeout: 100 };
  const inProgress = "provisioner.storage.kubernetes.io/provisioning-in-progress";

  test("a claim that is deleted while the process is down waits for the driver's answer, and no volume is left", async () => {
    await using world = await startWorld({ flags });
    world.driver.always("CreateVolume", step.hangAfter);
    await world.createClass();
    await world.createClaim("data");
    await world.driver.called("CreateVolume");
    await world.kill();
    await world.deleteClaim("data");
    const { metadata } = await world.admin.get(PersistentVolumeClaim, inDefault("data"));
    expect(metadata?.finalizers).toContain(inProgress);
    expect(world.driver.volumes.size).toBe(1);
    world.driver.always("CreateVolume", step.act);
    await world.run();
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    // kube-controller-manager may take a quarter of a minute to see that an unbound claim is gone.
    await world.driver.called("DeleteVolume", 1, 25_000);
    await nothingLeft(world);
  }, 30_000);

  test("a claim that is given another volume while the process is down waits for the driver's answer too", async () => {
    await using world = await startWorld({ flags });
    world.driver.always("CreateVolume", step.hangAfter);
    await world.createClass();
    const { metadata } = await world.createClaim("data");
    await world.driver.called("CreateVolume");
    await world.kill();
    const claimRef = { kind: "PersistentVolumeClaim", ...inDefault("data"), uid: metadata?.uid };
    await world.create(PersistentVolume, staticVolume("by-hand", { claimRef, persistentVolumeReclaimPolicy: "Retain" }));
    const isBound = ({ spec, status }: V1PersistentVolumeClaim) => spec?.volumeName === "by-hand" && status?.phase === "Bound";
    await world.until(PersistentVolumeClaim, inDefault("data"), isBound);
    expect(world.driver.volumes.size).toBe(1);
    world.driver.always("CreateVolume", step.act);
    await world.run();
    await world.driver.called("DeleteVolume", 1, 25_000);
    await world.untilTrue(async () => (await world.volumes()).length === 1);
    expect(world.driver.volumes.size).toBe(0);
    const { metadata: now } = await world.until(PersistentVolumeClaim, inDefault("data"), isBound);
    expect(now?.finalizers).not.toContain(inProgress);
  }, 40_000);

  test("the finalizer stays after a restart as long as the driver cannot be asked again", async () => {
    await using world = await startWorld({ flags: { ...flags, timeout: 500 } });
    const secret = { metadata: inDefault("key"), stringData: { token: "t" } };
    const prefix = "csi.storage.k8s.io/provisioner-secret";
    await world.admin.create(Secret, secret);
    world.driver.always("CreateVolume", step.hangAfter);
    await world.createClass("fast", { parameters: { [`${prefix}-name`]: "key", [`${prefix}-namespace`]: "default" } });
    await world.createClaim("data");
    await world.driver.called("CreateVolume");
    await world.kill();
    await world.admin.delete(Secret, inDefault("key"));
    await world.deleteClaim("data");
    world.driver.always("CreateVolume", step.act);
    await world.run();
    await world.untilEvent("data", "error getting secret key");
    const { metadata } = await world.admin.get(PersistentVolumeClaim, inDefault("data"));
    expect(metadata?.finalizers).toContain(inProgress);
    await world.admin.create(Secret, secret);
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    await world.driver.called("DeleteVolume", 1, 25_000);
    await nothingLeft(world);
  }, 30_000);

  test("a claim that is being deleted is not begun any more: it takes no finalizer, so nobody would remember the call", async () => {
    await using world = await startWorld({ flags });
    await world.createClass();
    await world.kill();
    for (const name of ["data", "other"]) {
      await world.createClaim(name);
      const isLeftToDriver = ({ metadata }: V1PersistentVolumeClaim) => metadata?.annotations?.["volume.kubernetes.io/storage-provisioner"];
      await world.until(PersistentVolumeClaim, inDefault(name), isLeftToDriver);
    }
    const hold = mergePatch({ metadata: { finalizers: ["example.com/hold"] } });
    const { uid } = (await world.admin.patch(PersistentVolumeClaim, inDefault("data"), hold)).metadata ?? {};
    await world.deleteClaim("data");
    await world.run();
    await world.bound("other");
    expect(world.driver.calls("CreateVolume").filter(({ request }) => request.name === `pvc-${uid}`)).toEqual([]);
    await world.admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ metadata: { finalizers: null } }));
  });

  test("the finalizer goes when the volume is saved", async () => {
    await using world = await startWorld({ flags });
    await world.createClass();
    await world.createClaim("data");
    await world.bound("data");
    await world.until(PersistentVolumeClaim, inDefault("data"), ({ metadata }) => !metadata?.finalizers?.includes(inProgress));
    expect(await world.refused()).toEqual([]);
  });

  test("the finalizer goes when the driver says no", async () => {
    await using world = await startWorld({ flags: { ...flags, retryIntervalStart: 60_000, retryIntervalMax: 60_000 } });
    world.driver.always("CreateVolume", step.fail("Internal"));
    await world.createClass();
    await world.createClaim("data");
    await world.untilEvent("data", "ProvisioningFailed");
    await world.until(PersistentVolumeClaim, inDefault("data"), ({ metadata }) => !metadata?.finalizers?.includes(inProgress));
  });
});

test("half of many claims are deleted while the driver loses answers and the process dies: nothing is lost in the end", async () => {
  await using world = await startWorld({
    flags: { inProgressFinalizer: true, timeout: 300 },
    driver: { faults: { seed: 7, loseShare: 0.3, delayMs: [0, 20] } },
  });
  await world.createClass();
  const names = Array.from({ length: 24 }, (_, n) => `data-${n}`);
  await Promise.all(names.map((name) => world.createClaim(name)));
  await world.driver.called("CreateVolume", 10);
  await world.kill();
  await Promise.all(names.filter((_, n) => n % 2 === 0).map((name) => world.deleteClaim(name)));
  await world.run();
  for (const name of names.filter((_, n) => n % 2 === 1)) await world.bound(name);
  // kube-controller-manager may take a quarter of a minute to see that an unbound claim is gone.
  await world.untilTrue(async () => (await world.volumes()).length === 12 && world.driver.volumes.size === 12, 25_000);
  await nothingLost(world);
}, 40_000);
