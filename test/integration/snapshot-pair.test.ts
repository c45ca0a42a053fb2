import { describe, expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  snapshotFinalizer,
  type V1VolumeSnapshot,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { snapshotController } from "@csi-sidecars/snapshot-controller";
import { snapshotter } from "@csi-sidecars/snapshotter";
import {
  type ComponentWorld,
  type CrashPoint,
  crashAtEveryStep,
  fastFlags,
  presets,
  startComponentWorld,
  step,
  type TestedComponent,
  withRestart,
} from "@csi-sidecars/testcluster";

// The controller and the sidecar write the same contents at the same time, each with its own user and role, as they do in a cluster.

const driver = "csi.example.com";
const inDefault = (name: string) => ({ namespace: "default", name });
const runs = process.env.TESTCLUSTER === "real" ? { stride: 5 } : { atOnce: 4 };

interface Pair {
  readonly world: ComponentWorld;
  readonly controller: TestedComponent;
  readonly sidecar: TestedComponent;
}

async function startPair(
  options: { readonly controllerCrash?: CrashPoint; readonly sidecarCrash?: CrashPoint } = {},
): Promise<Pair & AsyncDisposable> {
  const capabilities = { ...presets.minimal, controller: ["CREATE_DELETE_VOLUME", "CREATE_DELETE_SNAPSHOT", "LIST_SNAPSHOTS"] as const };
  const world = await startComponentWorld({ definitions: snapshotDefinitions, driver: { name: driver, capabilities } });
  const flags = fastFlags;
  const controller = await world.add(snapshotController, {
    flags,
    stopped: true,
    ...(options.controllerCrash && { crashPoint: options.controllerCrash }),
  });
  const sidecar = await world.add(snapshotter, {
    flags: { ...flags, timeout: 2_000 },
    stopped: true,
    ...(options.sidecarCrash && { crashPoint: options.sidecarCrash }),
  });
  await world.create(VolumeSnapshotClass, { metadata: { name: "gold" }, driver, deletionPolicy: "Delete" });
  return { world, controller, sidecar, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

/** A bound claim with its volume, in the cluster and in the driver. */
async function addClaim({ admin, driver: storage }: ComponentWorld, name: string): Promise<void> {
  storage.addVolume({ id: `handle-${name}` });
  const spec = { accessModes: ["ReadWriteOnce" as const], storageClassName: "fast" };
  const claim = await admin.create(PersistentVolumeClaim, {
    metadata: inDefault(name),
    spec: { ...spec, resources: { requests: { storage: "1Gi" } }, volumeName: `pv-${name}` },
  });
  await admin.create(PersistentVolume, {
    metadata: { name: `pv-${name}` },
    spec: {
      ...spec,
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Retain",
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...inDefault(name), uid: claim.metadata?.uid ?? "" },
      csi: { driver, volumeHandle: `handle-${name}` },
    },
  });
  await admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status: { phase: "Bound" } }), { subresource: "status" });
}

const addSnapshot = ({ world }: Pair, name: string, claim: string) =>
  world.create(VolumeSnapshot, {
    metadata: inDefault(name),
    spec: { source: { persistentVolumeClaimName: claim }, volumeSnapshotClassName: "gold" },
  });
const isReady = ({ status }: V1VolumeSnapshot) => status?.readyToUse === true;

/** Whatever happened, the driver has the snapshots that contents refer to and no other, and no claim is protected for nothing. */
async function expectNothingLost({ world }: Pair, names: readonly string[]): Promise<void> {
  const { items } = await world.admin.list(VolumeSnapshotContent);
  expect(items.map(({ spec }) => spec?.volumeSnapshotRef?.name).sort()).toEqual([...names].sort());
  expect(items.map(({ status }) => status?.snapshotHandle).sort()).toEqual([...world.driver.snapshots.keys()].sort());
  await world.untilTrue(async () => {
    const claims = await world.admin.list(PersistentVolumeClaim);
    return claims.items.every(({ metadata }) => !metadata?.finalizers?.includes(snapshotFinalizer.claim));
  });
}

async function takeAndDelete(pair: Pair): Promise<void> {
  const { world } = pair;
  await addSnapshot(pair, "kept", "data");
  await addSnapshot(pair, "deleted", "data");
  await world.until(VolumeSnapshot, inDefault("kept"), isReady);
  await world.until(VolumeSnapshot, inDefault("deleted"), isReady);
  await world.admin.delete(VolumeSnapshot, inDefault("deleted"));
  await world.untilGone(VolumeSnapshot, inDefault("deleted"));
  await expectNothingLost(pair, ["kept"]);
}

test("thirty snapshots of ten claims, half of them deleted at once, take nine requests each and none is refused", async () => {
  await using pair = await startPair();
  const { world, controller, sidecar } = pair;
  await Promise.all([controller.run(), sidecar.run()]);
  const claims = Array.from({ length: 10 }, (_, i) => `data-${i}`);
  for (const claim of claims) await addClaim(world, claim);
  const names = Array.from({ length: 30 }, (_, i) => `snapshot-${i}`);
  await Promise.all(names.map((name, i) => addSnapshot(pair, name, `data-${i % 10}`)));
  for (const name of names) await world.until(VolumeSnapshot, inDefault(name), isReady);
  await expectNothingLost(pair, names);
  const requests = [...(await controller.requests()), ...(await sidecar.requests())];
  expect(requests.length).toBeLessThanOrEqual(9 * names.length);
  await Promise.all(names.slice(15).map((name) => world.admin.delete(VolumeSnapshot, inDefault(name))));
  for (const name of names.slice(15)) await world.untilGone(VolumeSnapshot, inDefault(name));
  await expectNothingLost(pair, names.slice(0, 15));
  const refused = [...(await controller.refused()), ...(await sidecar.refused())];
  expect(refused.filter((request) => !request.startsWith("429 watch"))).toEqual([]);
});

describe("a crash at any step", () => {
  test("of the controller, while the sidecar runs", async () => {
    await crashAtEveryStep(async (controllerCrash) => {
      await using pair = await startPair({ controllerCrash });
      await addClaim(pair.world, "data");
      await pair.sidecar.run();
      await withRestart(pair.controller, () => takeAndDelete(pair));
    }, runs);
  }, 240_000);

  test("of the sidecar, while the controller runs", async () => {
    await crashAtEveryStep(async (sidecarCrash) => {
      await using pair = await startPair({ sidecarCrash });
      await addClaim(pair.world, "data");
      await pair.controller.run();
      await withRestart(pair.sidecar, () => takeAndDelete(pair));
    }, runs);
  }, 240_000);
});

test("a snapshot that is deleted while the driver takes it leaves nothing behind", async () => {
  await using pair = await startPair();
  const { world, controller, sidecar } = pair;
  await addClaim(world, "data");
  world.driver.always("CreateSnapshot", step.waitFor("answer"));
  await Promise.all([controller.run(), sidecar.run()]);
  await addSnapshot(pair, "backup", "data");
  await world.untilTrue(() => world.driver.calls("CreateSnapshot").length > 0);
  await world.admin.delete(VolumeSnapshot, inDefault("backup"));
  world.driver.release("answer");
  await world.untilGone(VolumeSnapshot, inDefault("backup"));
  await expectNothingLost(pair, []);
});
