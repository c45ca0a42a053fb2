import { expect, test } from "bun:test";
import {
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { claimOf, classOf, existingContent, inDefault, preProvisioned, volumeOf } from "../testing/objects.ts";
import { contentNameOf, type SnapshotWorld, startSnapshotWorld } from "../testing/snapshot-world.ts";

// Nothing but an event may bring a snapshot back: retries and resyncs are later than any test.
const flags = { retryIntervalStart: 600_000, retryIntervalMax: 600_000, resyncPeriod: 600_000 };
const noClass = { spec: { volumeSnapshotClassName: undefined as never } };
const markDefault = mergePatch({ metadata: { annotations: { "snapshot.storage.kubernetes.io/is-default-class": "true" } } });

/** What is missing at first, what the user is told, and what ends it. */
const cases: Readonly<
  Record<
    string,
    { before(world: SnapshotWorld): Promise<unknown>; told: string; end(world: SnapshotWorld): Promise<unknown>; snapshot?: object }
  >
> = {
  "the class is created": {
    before: (world) => world.addClaim(),
    told: 'GetSnapshotClassFailed: Failed to get snapshot class with error volumesnapshotclass.snapshot.storage.k8s.io "gold" not found',
    end: (world) => world.addClass(),
  },
  "the class of another driver is replaced": {
    before: async (world) => {
      await world.addClaim();
      await world.addClass({ driver: "other.example.com" });
    },
    told: "SnapshotContentCreationFailed: Failed to create snapshot content with error Volume CSI driver (csi.example.com) mismatch with VolumeSnapshotClass (other.example.com)",
    async end(world) {
      await world.admin.delete(VolumeSnapshotClass, { name: "gold" });
      await world.addClass();
    },
  },
  "a class becomes the default": {
    snapshot: noClass,
    before: async (world) => {
      await world.addClaim();
      await world.addClass();
    },
    told: "SetDefaultSnapshotClassFailed: Failed to set default snapshot class with error cannot find default snapshot class",
    end: (world) => world.admin.patch(VolumeSnapshotClass, { name: "gold" }, markDefault),
  },
  "one of two defaults is deleted": {
    snapshot: noClass,
    before: async (world) => {
      await world.addClaim();
      for (const name of ["gold", "silver"]) await world.addClass({ metadata: { name, annotations: markDefaultAnnotations } });
    },
    told: "SetDefaultSnapshotClassFailed: Failed to set default snapshot class with error 2 default snapshot classes were found",
    end: (world) => world.admin.delete(VolumeSnapshotClass, { name: "silver" }),
  },
  "the claim is created": {
    before: (world) => world.addClass(),
    told: "SnapshotContentCreationFailed: Failed to create snapshot content with error snapshot controller failed to update backup on API server: cannot get claim",
    end: (world) => world.addClaim(),
  },
  "the claim is bound": {
    before: async (world) => {
      await world.addClass();
      const { metadata } = await world.addClaim({ status: { phase: "Pending" } });
      await world.create(PersistentVolume, volumeOf({ claimUid: metadata?.uid ?? "" }));
    },
    told: "the PVC data is not yet bound to a PV, will not attempt to take a snapshot",
    end: (world) =>
      world.admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ status: claimOf().status }), { subresource: "status" }),
  },
  "the volume appears": {
    before: async (world) => {
      await world.addClass();
      await world.addClaim({ status: { phase: "Pending" } });
      await world.admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ status: claimOf().status }), {
        subresource: "status",
      });
    },
    told: "failed to retrieve PV pv-data from the API server",
    async end(world) {
      const { metadata } = await world.untilClaim(() => true);
      await world.create(PersistentVolume, volumeOf({ claimUid: metadata?.uid ?? "" }));
    },
  },
};
const markDefaultAnnotations = { "snapshot.storage.kubernetes.io/is-default-class": "true" };

for (const [name, { before, told, end, snapshot = {} }] of Object.entries(cases)) {
  test(`a snapshot waits, and is taken when ${name}`, async () => {
    await using world = await startSnapshotWorld({ flags });
    await before(world);
    const made = await world.addSnapshot(snapshot);
    const event = await world.untilEvent("backup", told);
    const { status, metadata } = await world.untilSnapshot((each) => each.status?.error);
    expect(event).toEndWith(status?.error?.message ?? "");
    expect(status?.boundVolumeSnapshotContentName ?? metadata?.finalizers).toBeUndefined();
    await end(world);
    await world.untilContent(made);
    await world.answer(contentNameOf(made));
    const ready = await world.untilSnapshot((each) => each.status?.readyToUse);
    expect(ready.status?.error).toBeUndefined();
    expect(ready.spec?.volumeSnapshotClassName).toBe("gold");
    expect(await world.refused()).toEqual([]);
  });
}

test("what is there a moment later is never reported as missing", async () => {
  await using world = await startSnapshotWorld({ flags });
  const releases = [VolumeSnapshotClass, PersistentVolumeClaim, PersistentVolume].map((kind) => world.controller.holdWatch(kind));
  await world.addClass(classOf());
  await world.addClaim();
  const snapshot = await world.addSnapshot();
  await world.untilTrue(async () => (await world.admin.get(VolumeSnapshot, inDefault("backup"))) !== undefined);
  for (const release of releases) release();
  await world.untilContent(snapshot);
  expect((await world.events("backup")).filter((event) => event.startsWith("Warning"))).toEqual([]);
  expect((await world.admin.get(VolumeSnapshot, inDefault("backup"))).status).toBeUndefined();
});

test("a pre-provisioned snapshot is bound when its content is created", async () => {
  await using world = await startSnapshotWorld({ flags });
  await world.addClass();
  const snapshot = await world.addSnapshot(preProvisioned());
  await world.untilEvent("backup", "Warning SnapshotContentMissing: VolumeSnapshotContent is missing");
  await world.create(VolumeSnapshotContent, existingContent());
  await world.until(VolumeSnapshotContent, { name: "existing" }, ({ spec }) => spec?.volumeSnapshotRef?.uid === snapshot.metadata?.uid);
});

test("an error is told of in an event although the status cannot be written", async () => {
  await using world = await startSnapshotWorld();
  world.controller.disturb({ resource: VolumeSnapshot, subresource: "status", how: "failed", times: 2 });
  await world.addSnapshot();
  await world.untilEvent("backup", "Warning GetSnapshotClassFailed");
  await world.untilSnapshot(({ status }) => status?.error);
});

test("a content is not bound with the class of another driver, and is when that is replaced", async () => {
  await using world = await startSnapshotWorld({ flags });
  await world.addClass({ driver: "other.example.com" });
  await world.create(VolumeSnapshotContent, existingContent());
  await world.addSnapshot(preProvisioned());
  await world.untilEvent(
    "backup",
    "Warning SnapshotBindFailed: Snapshot failed to bind VolumeSnapshotContent, VolumeSnapshotContent existing is of CSI driver csi.example.com, VolumeSnapshotClass gold of other.example.com",
  );
  await world.witness();
  const { spec } = await world.admin.get(VolumeSnapshotContent, { name: "existing" });
  expect([spec?.volumeSnapshotRef?.uid, spec?.volumeSnapshotClassName]).toEqual([undefined, undefined]);
  await world.admin.delete(VolumeSnapshotClass, { name: "gold" });
  await world.addClass();
  await world.until(VolumeSnapshotContent, { name: "existing" }, (content) => content.spec?.volumeSnapshotClassName === "gold");
});
