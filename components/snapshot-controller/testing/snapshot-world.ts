import { until } from "@csi-sidecars/base/testing";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  snapshotFinalizer,
  type V1PersistentVolumeClaim,
  type V1VolumeSnapshot,
  type V1VolumeSnapshotClass,
  type V1VolumeSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import {
  type ComponentWorld,
  type ComponentWorldOptions,
  fastFlags,
  startComponentWorld,
  type TestedComponent,
  type TestedComponentOptions,
} from "@csi-sidecars/testcluster";
import { snapshotController } from "../component.ts";
import type { snapshotControllerFlags } from "../flags.ts";
import { type ClaimParts, claimOf, classOf, inDefault, type SnapshotParts, snapshotOf, type VolumeParts, volumeOf } from "./objects.ts";

type Options = TestedComponentOptions<typeof snapshotControllerFlags>;

export interface SnapshotWorldOptions extends Options, Pick<ComponentWorldOptions, "cluster" | "definitions"> {}

type ContentStatus = NonNullable<V1VolumeSnapshotContent["status"]>;

/** The controller with an API server. What csi-snapshotter does, the test does. */
export interface SnapshotWorld extends ComponentWorld {
  readonly controller: TestedComponent;
  /** Creates a claim, `default/data` unless told, and unless it is not bound, its volume. */
  addClaim(claim?: ClaimParts, volume?: VolumeParts): Promise<V1PersistentVolumeClaim>;
  addClass(parts?: V1VolumeSnapshotClass): Promise<void>;
  addSnapshot(parts?: SnapshotParts): Promise<V1VolumeSnapshot>;
  /** Waits for a snapshot, `default/backup` unless told. */
  untilSnapshot(is: (snapshot: V1VolumeSnapshot) => unknown, name?: string): Promise<V1VolumeSnapshot>;
  untilClaim(is: (claim: V1PersistentVolumeClaim) => unknown, name?: string): Promise<V1PersistentVolumeClaim>;
  /** Waits for the content that the controller creates for a snapshot. */
  untilContent(snapshot: V1VolumeSnapshot, is?: (content: V1VolumeSnapshotContent) => unknown): Promise<V1VolumeSnapshotContent>;
  /** Writes the status of a content, as csi-snapshotter does: a snapshot that is ready unless told. */
  answer(content: string, status?: Partial<ContentStatus>): Promise<void>;
  /** Lets a content go that is being deleted, as csi-snapshotter does once the driver has deleted the snapshot. */
  letGo(content: string): Promise<void>;
  /** The controller's requests that the server refused. Watches are, for a moment, while the kinds are new. */
  refused(): Promise<string[]>;
  /** Has another snapshot of another claim taken: what was due before it has been done then. */
  witness(): Promise<void>;
}

export const readyStatus = {
  snapshotHandle: "snap-1",
  creationTime: 1_600_000_000_123_456_789n,
  readyToUse: true,
  restoreSize: 1_073_741_824,
};

export const isReady = ({ status }: V1VolumeSnapshot) => status?.readyToUse === true;
export const isProtected = ({ metadata }: V1PersistentVolumeClaim) => metadata?.finalizers?.includes(snapshotFinalizer.claim) ?? false;
export const contentNameOf = ({ metadata }: V1VolumeSnapshot) => `snapcontent-${metadata?.uid}`;

export async function startSnapshotWorld({
  cluster,
  definitions = snapshotDefinitions,
  ...options
}: SnapshotWorldOptions = {}): Promise<SnapshotWorld> {
  const world = await startComponentWorld({ definitions, ...(cluster && { cluster }) });
  const controller = await world.add(snapshotController, { ...options, flags: { ...fastFlags, ...options.flags } }).catch(async (error) => {
    await world[Symbol.asyncDispose]();
    throw error;
  });
  const { admin } = world;
  let witnesses = 0;
  const self: SnapshotWorld = {
    ...world,
    controller,
    async addClaim(claim = {}, volume = {}) {
      const { name = "data" } = claim;
      const { status, ...object } = claimOf(claim);
      const made = await admin.create(PersistentVolumeClaim, object);
      if (status?.phase === "Bound")
        await admin.create(PersistentVolume, volumeOf({ name, claimUid: made.metadata?.uid ?? "", ...volume }));
      return admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status }), { subresource: "status" });
    },
    async addClass(parts) {
      await admin.create(VolumeSnapshotClass, classOf(parts));
    },
    addSnapshot: (parts) => admin.create(VolumeSnapshot, snapshotOf(parts)),
    untilSnapshot: (is, name = "backup") => world.until(VolumeSnapshot, inDefault(name), is),
    untilClaim: (is, name = "data") => world.until(PersistentVolumeClaim, inDefault(name), is),
    untilContent: (snapshot, is = () => true) => world.until(VolumeSnapshotContent, { name: contentNameOf(snapshot) }, is),
    async answer(name, status = readyStatus) {
      await admin.patch(VolumeSnapshotContent, { name }, mergePatch({ status }), { subresource: "status" });
    },
    async letGo(name) {
      await until(`the deletion of ${name}`, async () => (await admin.get(VolumeSnapshotContent, { name })).metadata?.deletionTimestamp);
      await admin.patch(VolumeSnapshotContent, { name }, mergePatch({ metadata: { finalizers: null } }));
    },
    refused: controller.refused,
    async witness() {
      const name = `witness-${++witnesses}`;
      if (witnesses === 1) await self.addClass({ metadata: { name: "witness" } });
      await self.addClaim({ name });
      const source = { persistentVolumeClaimName: name };
      const snapshot = await self.addSnapshot({ name, spec: { source, volumeSnapshotClassName: "witness" } });
      await self.answer(contentNameOf(await self.untilContent(snapshot).then(() => snapshot)));
      await self.untilSnapshot(isReady, name);
    },
  };
  return self;
}
