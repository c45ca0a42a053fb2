import type { Clock } from "@csi-sidecars/base";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import type { PolicyRule } from "@csi-sidecars/host";
import { mergePatch, type V1VolumeSnapshotContent, VolumeSnapshotClass, VolumeSnapshotContent } from "@csi-sidecars/kube";
import {
  type ComponentWorld,
  type CrashPoint,
  type DriverOptions,
  fastFlags,
  presets,
  startComponentWorld,
  type TestedComponent,
} from "@csi-sidecars/testcluster";
import { snapshotter } from "../../component.ts";
import type { SnapshotterComponentContext } from "../../flags.ts";
import { beingDeleted, type ContentParts, contentOf, driverName, snapshotClass, volumeOf } from "./objects.ts";

export interface WorldOptions {
  readonly flags?: Partial<SnapshotterComponentContext["flags"]>;
  readonly clock?: Clock;
  readonly crashPoint?: CrashPoint;
  readonly driver?: DriverOptions;
  readonly role?: readonly PolicyRule[];
  readonly env?: Readonly<Record<string, string>>;
  readonly ownServer?: boolean;
  /** The class's; `null` for no class. */
  readonly parameters?: Record<string, string> | null;
  /** Whether the kinds are there from the start. */
  readonly definitions?: boolean;
  readonly stopped?: boolean;
}

/** The component with a driver and an API server, all over real sockets; its user may do what the shipped role says and no more. */
export interface ContentWorld extends Omit<ComponentWorld, "until" | "events" | "untilEvent" | "untilGone" | "add">, TestedComponent {
  /** Creates a content, with its status, and its volume in the driver. */
  addContent(parts?: ContentParts): Promise<V1VolumeSnapshotContent>;
  content(name?: string): Promise<V1VolumeSnapshotContent>;
  until(what: (content: V1VolumeSnapshotContent) => unknown, name?: string): Promise<V1VolumeSnapshotContent>;
  untilReady(name?: string): Promise<V1VolumeSnapshotContent>;
  untilGone(name?: string): Promise<void>;
  patchContent(patch: object, name?: string): Promise<void>;
  patchStatus(status: object, name?: string): Promise<void>;
  /** Deletes the VolumeSnapshot of a content: what the snapshot-controller does to the content then. */
  abandon(name?: string): Promise<void>;
  /** See {@link ComponentWorld.events}; about a content. */
  events(name?: string): Promise<string[]>;
  untilEvent(text: string, name?: string): Promise<string>;
  /** Takes another snapshot: what was due before has been done then. */
  witness(): Promise<void>;
}

/** A driver that takes snapshots, and knows nothing more about them. */
export const snapshotting = {
  ...presets.minimal,
  controller: ["CREATE_DELETE_VOLUME", "CREATE_DELETE_SNAPSHOT"],
} satisfies DriverOptions["capabilities"];

export const listing = {
  ...snapshotting,
  controller: [...snapshotting.controller, "LIST_SNAPSHOTS"],
} satisfies DriverOptions["capabilities"];

export const getting = { ...listing, controller: [...listing.controller, "GET_SNAPSHOT"] } satisfies DriverOptions["capabilities"];

export async function startWorld(options: WorldOptions = {}): Promise<ContentWorld> {
  await using opened = new AsyncDisposableStack();
  const { driver: driverOptions, ownServer = false, flags, parameters = {}, definitions = true, ...others } = options;
  const base = opened.use(
    await startComponentWorld({
      cluster: { own: ownServer },
      driver: { name: driverName, capabilities: listing, ...driverOptions },
      definitions: definitions ? snapshotDefinitions : [],
    }),
  );
  const { admin, driver } = base;
  if (parameters && definitions) await admin.create(VolumeSnapshotClass, snapshotClass(parameters));
  const tested = await base.add(snapshotter, { ...others, flags: { ...fastFlags, timeout: 2_000, ...flags } });

  const world: ContentWorld = {
    ...base,
    ...tested,
    get dead() {
      return tested.dead;
    },
    async addContent(parts = {}) {
      const { name = "data", status } = parts;
      if (!driver.volumes.has(volumeOf(name))) driver.addVolume({ id: volumeOf(name) });
      const made = await admin.create(VolumeSnapshotContent, contentOf(parts));
      if (status) await world.patchStatus(status, name);
      return made;
    },
    content: (name = "data") => admin.get(VolumeSnapshotContent, { name }),
    until: (what, name = "data") => base.until(VolumeSnapshotContent, { name }, what),
    untilReady: (name) => world.until(({ metadata, status }) => status?.readyToUse && !isMarked({ metadata }), name),
    untilGone: (name = "data") => base.untilGone(VolumeSnapshotContent, { name }),
    async patchContent(patch, name = "data") {
      await admin.patch(VolumeSnapshotContent, { name }, mergePatch(patch));
    },
    async patchStatus(status, name = "data") {
      await admin.patch(VolumeSnapshotContent, { name }, mergePatch({ status }), { subresource: "status" });
    },
    async abandon(name = "data") {
      await world.patchContent({ metadata: { annotations: { [beingDeleted]: "yes" } } }, name);
      await admin.delete(VolumeSnapshotContent, { name });
    },
    // A real server answers so while it opens the watch cache of a kind that was just installed.
    refused: tested.refused,
    events: (name = "data") => base.events({ kind: "VolumeSnapshotContent", name }),
    untilEvent: (text, name = "data") => base.untilEvent({ kind: "VolumeSnapshotContent", name }, text),
    async witness() {
      await world.addContent({ name: "witness" });
      await world.untilReady("witness");
    },
    [Symbol.asyncDispose]: () => disposing.disposeAsync(),
  };
  const disposing = opened.move();
  return world;
}

/** Whether a content says that the driver may be taking its snapshot. */
export function isMarked({ metadata }: Pick<V1VolumeSnapshotContent, "metadata">): boolean {
  return Object.keys(metadata?.annotations ?? {}).some((key) => key.endsWith("being-created"));
}

/** What a snapshot writes into its content. */
export const creationRequests = [
  "patch volumesnapshotcontents data",
  "patch volumesnapshotcontents/status data",
  "patch volumesnapshotcontents data",
];
