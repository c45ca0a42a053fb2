import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  type V1VolumeGroupSnapshot,
  type V1VolumeGroupSnapshotContent,
  type V1VolumeSnapshot,
  type V1VolumeSnapshotContent,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
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
import { type FakeSidecar, startFakeSidecar } from "./fake-sidecar.ts";

export const driverName = "d.example.com";
export const inDefault = (name: string) => ({ name, namespace: "default" });

export interface GroupWorldOptions extends TestedComponentOptions<typeof snapshotControllerFlags> {
  /** Whether the kinds of groups are there from the start. */
  readonly withoutGroupKinds?: boolean;
  /** The kinds that are served; ours unless told. */
  readonly definitions?: ComponentWorldOptions["definitions"];
}

/** The controller on an API server that serves the kinds, with a stand-in for the sidecar and the driver. */
export interface GroupWorld extends Omit<ComponentWorld, "add"> {
  readonly controller: TestedComponent;
  readonly sidecar: FakeSidecar;
  addClass(name?: string, parts?: object, annotations?: Record<string, string>): Promise<void>;
  /** A claim that is bound to a volume of the driver, or is to be bound later. */
  addClaim(name: string, parts?: ClaimParts): Promise<void>;
  bindClaim(name: string): Promise<void>;
  /** A group snapshot of the claims that are labelled `app=db`. */
  addGroup(name?: string, spec?: V1VolumeGroupSnapshot["spec"]): Promise<V1VolumeGroupSnapshot>;
  /** A group of two claims that is ready. */
  readyGroup(name?: string): Promise<V1VolumeGroupSnapshot>;
  untilGroup(is: (group: V1VolumeGroupSnapshot) => unknown, name?: string): Promise<V1VolumeGroupSnapshot>;
  group(name?: string): Promise<V1VolumeGroupSnapshot>;
  deleteGroup(name?: string): Promise<void>;
  groupContents(): Promise<V1VolumeGroupSnapshotContent[]>;
  snapshots(): Promise<V1VolumeSnapshot[]>;
  contents(): Promise<V1VolumeSnapshotContent[]>;
  /** The controller's requests that the server refused. */
  refused(): Promise<string[]>;
  /** Waits until no object of the six kinds is left but classes. */
  untilNothingIsLeft(): Promise<void>;
}

interface ClaimParts {
  readonly labels?: Record<string, string>;
  readonly driver?: string;
  readonly isBound?: boolean;
  readonly volume?: object;
}

export async function startGroupWorld({ withoutGroupKinds = false, flags, ...options }: GroupWorldOptions = {}): Promise<GroupWorld> {
  await using opened = new AsyncDisposableStack();
  const { definitions = withoutGroupKinds ? snapshotDefinitions.slice(0, 3) : snapshotDefinitions, ...others } = options;
  const base = opened.use(await startComponentWorld({ definitions }));
  const { admin } = base;
  const sidecar = withoutGroupKinds ? undefined : opened.use(startFakeSidecar(admin));
  const controller = await base.add(snapshotController, { ...others, flags: { ...fastFlags, ...flags } });
  const list = async <T>(items: Promise<{ readonly items: T[] }>) => (await items).items;

  const world: GroupWorld = {
    ...base,
    controller,
    sidecar: sidecar as FakeSidecar,
    async addClass(name = "gold", parts = {}, annotations = {}) {
      const metadata = { name, annotations };
      await admin.create(VolumeGroupSnapshotClass, { metadata, driver: driverName, deletionPolicy: "Delete", ...parts });
    },
    async addClaim(name, { labels = { app: "db" }, driver = driverName, isBound = true, volume } = {}) {
      const spec = {
        accessModes: ["ReadWriteOnce" as const],
        resources: { requests: { storage: "1Gi" } },
        volumeName: `pv-${name}`,
        storageClassName: "",
      };
      const claim = await admin.create(PersistentVolumeClaim, { metadata: { ...inDefault(name), labels }, spec });
      await admin.create(PersistentVolume, {
        metadata: { name: `pv-${name}` },
        spec: {
          ...{ capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], volumeMode: "Filesystem" },
          claimRef: { ...inDefault(name), uid: claim.metadata?.uid },
          csi: { driver, volumeHandle: `handle-${name}` },
          ...volume,
        },
      } as never);
      if (isBound) await world.bindClaim(name);
    },
    async bindClaim(name) {
      await admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status: { phase: "Bound" } }), { subresource: "status" });
    },
    addGroup: (name = "group", spec = { source: { selector: { matchLabels: { app: "db" } } }, volumeGroupSnapshotClassName: "gold" }) =>
      admin.create(VolumeGroupSnapshot, { metadata: inDefault(name), spec }),
    async readyGroup(name = "group") {
      await world.addClass();
      for (const claim of ["b", "a"]) await world.addClaim(claim);
      await world.addGroup(name);
      await world.untilGroup(({ status }) => status?.readyToUse, name);
      for (const { metadata } of await world.snapshots()) {
        await world.until(VolumeSnapshot, inDefault(metadata?.name ?? ""), ({ status }) => status?.readyToUse);
      }
      return world.group(name);
    },
    untilGroup: (is, name = "group") => base.until(VolumeGroupSnapshot, inDefault(name), is),
    group: (name = "group") => admin.get(VolumeGroupSnapshot, inDefault(name)),
    deleteGroup: (name = "group") => admin.delete(VolumeGroupSnapshot, inDefault(name)),
    groupContents: () => list(admin.list(VolumeGroupSnapshotContent)),
    snapshots: () => list(admin.list(VolumeSnapshot)),
    contents: () => list(admin.list(VolumeSnapshotContent)),
    refused: controller.refused,
    async untilNothingIsLeft() {
      await base.untilTrue(async () => {
        const left = await Promise.all([world.groupContents(), world.snapshots(), world.contents(), list(admin.list(VolumeGroupSnapshot))]);
        return left.flat().length === 0;
      });
    },
    async [Symbol.asyncDispose]() {
      await disposing.disposeAsync();
    },
  };
  const disposing = opened.move();
  return world;
}
