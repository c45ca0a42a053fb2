import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  mergePatch,
  type V1VolumeGroupSnapshotContent,
  type V1VolumeSnapshotClass,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
} from "@csi-sidecars/kube";
import {
  type ComponentWorld,
  type DriverOptions,
  fastFlags,
  presets,
  type Request,
  startComponentWorld,
  type TestedComponent,
  type TestedComponentOptions,
} from "@csi-sidecars/testcluster";
import { snapshotter } from "../../component.ts";
import type { snapshotterFlags } from "../../flags.ts";
import { beingDeleted, driverName, groupClass, groupContent } from "./group-objects.ts";

export interface GroupWorldOptions extends TestedComponentOptions<typeof snapshotterFlags> {
  readonly driver?: DriverOptions;
  /** The class `grouped`; one without parameters unless told, and none with `null`. */
  readonly class?: V1VolumeSnapshotClass | null;
  /** The kinds that are there from the start; all unless told. */
  readonly definitions?: typeof snapshotDefinitions;
}

type Content = V1VolumeGroupSnapshotContent;

/** The snapshotter with a driver that has the volumes `a` and `b`, and an API server; its user may do what the shipped role says and no more. */
export interface GroupWorld extends Omit<ComponentWorld, "until" | "untilGone" | "events" | "untilEvent" | "add">, TestedComponent {
  /** Creates a content with its status. */
  addContent(content?: Content): Promise<Content>;
  /** Patches a content as users and the snapshot-controller do. */
  patchContent(patch: object, name?: string): Promise<Content>;
  patchStatus(status: object, name?: string): Promise<Content>;
  /** Does what the snapshot-controller does with the content of a group snapshot that is deleted. */
  deleteContent(name?: string): Promise<void>;
  content(name?: string): Promise<Content>;
  until(what: (content: Content) => unknown, name?: string): Promise<Content>;
  untilGone(name?: string): Promise<void>;
  /** About the content. */
  events(name?: string): Promise<string[]>;
  untilEvent(text: string, name?: string): Promise<string>;
  /** What CreateVolumeGroupSnapshot was asked for the volumes `a` and `b`. */
  asked(): readonly Request<"CreateVolumeGroupSnapshot">[];
  /** Takes a group snapshot of another volume: what was due before it has been done then. */
  witness(): Promise<void>;
}

/** A driver that takes group snapshots. */
export const grouping = {
  ...presets.minimal,
  plugin: ["CONTROLLER_SERVICE", "GROUP_CONTROLLER_SERVICE"],
  controller: ["CREATE_DELETE_VOLUME", "CREATE_DELETE_SNAPSHOT"],
  groupController: ["CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT"],
} satisfies DriverOptions["capabilities"];

export async function startGroupWorld(options: GroupWorldOptions = {}): Promise<GroupWorld> {
  await using opened = new AsyncDisposableStack();
  const { driver: driverOptions, class: given = groupClass(), definitions = snapshotDefinitions, flags, ...others } = options;
  const volumes = ["a", "b", "witness"].map((id) => ({ id }));
  const base = opened.use(
    await startComponentWorld({
      driver: { name: driverName, capabilities: grouping, volumes, ...driverOptions },
      definitions,
    }),
  );
  const { admin, driver } = base;
  if (given) await admin.create(VolumeGroupSnapshotClass, given);
  const tested = await base.add(snapshotter, { ...others, flags: { ...fastFlags, timeout: 2_000, ...flags } });

  const world: GroupWorld = {
    ...base,
    ...tested,
    get dead() {
      return tested.dead;
    },
    // kube-apiserver refuses watches of a kind that it serves only since now.
    refused: tested.refused,
    async addContent(content = groupContent()) {
      const made = await admin.create(VolumeGroupSnapshotContent, content);
      return content.status ? world.patchStatus(content.status, content.metadata?.name) : made;
    },
    patchContent: (patch, name = "data") => admin.patch(VolumeGroupSnapshotContent, { name }, mergePatch(patch)),
    patchStatus: (status, name = "data") =>
      admin.patch(VolumeGroupSnapshotContent, { name }, mergePatch({ status }), { subresource: "status" }),
    async deleteContent(name = "data") {
      await world.patchContent({ metadata: { annotations: { [beingDeleted]: "yes" } } }, name);
      await admin.delete(VolumeGroupSnapshotContent, { name });
    },
    content: (name = "data") => admin.get(VolumeGroupSnapshotContent, { name }),
    until: (what, name = "data") => base.until(VolumeGroupSnapshotContent, { name }, what),
    untilGone: (name = "data") => base.untilGone(VolumeGroupSnapshotContent, { name }),
    events: (name = "data") => base.events({ kind: "VolumeGroupSnapshotContent", name }),
    untilEvent: (text, name = "data") => base.untilEvent({ kind: "VolumeGroupSnapshotContent", name }, text),
    asked() {
      const requests = driver.calls("CreateVolumeGroupSnapshot").map(({ request }) => request);
      return requests.filter(({ sourceVolumeIds }) => !sourceVolumeIds.includes("witness"));
    },
    async witness() {
      const { spec } = groupContent();
      const ref = { ...spec?.volumeGroupSnapshotRef, name: "witness", uid: "witness" };
      const source = { volumeHandles: ["witness"] };
      await world.addContent(groupContent({ metadata: { name: "witness" }, spec: { source, volumeGroupSnapshotRef: ref } }));
      await world.until(({ status }) => status?.volumeGroupSnapshotHandle, "witness");
    },
    [Symbol.asyncDispose]: () => disposing.disposeAsync(),
  };
  const disposing = opened.move();
  return world;
}
