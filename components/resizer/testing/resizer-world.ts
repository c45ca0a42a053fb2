import type { Clock } from "@csi-sidecars/base";
import type { PolicyRule } from "@csi-sidecars/host";
import {
  ignoreNotFound,
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
} from "@csi-sidecars/kube";
import {
  type ComponentWorld,
  type CrashPoint,
  type DriverOptions,
  fastFlags,
  presets,
  startComponentWorld,
  type TestedComponent,
  type TestedComponentOptions,
} from "@csi-sidecars/testcluster";
import { resizer } from "../component.ts";
import type { ResizerComponentContext, resizerFlags } from "../flags.ts";
import { type BoundClaim, claimOf, className, driverName, handleOf, inDefault, statusOf, volumeNameOf, volumeOf } from "./objects.ts";

export interface WorldOptions extends Pick<TestedComponentOptions<typeof resizerFlags>, "wrapClient"> {
  readonly flags?: Partial<ResizerComponentContext["flags"]>;
  /** Gates that are off. */
  readonly gatesOff?: readonly string[];
  /** The component's own; real time unless told. */
  readonly clock?: Clock;
  /** When the component crashes; one that is started after that does not. */
  readonly crashPoint?: CrashPoint;
  readonly driver?: DriverOptions;
  /** What the component's user may do; the shipped role unless told. */
  readonly role?: readonly PolicyRule[];
  /** A server of the test's own, to be stopped. */
  readonly ownServer?: boolean;
  /** Left to the test: `world.run()`. */
  readonly stopped?: boolean;
}

/** The component with a driver and an API server, all over real sockets; its user may do what the shipped role says and no more. */
export interface ResizerWorld extends Omit<ComponentWorld, "until" | "events" | "untilEvent" | "add">, TestedComponent {
  /** Creates a bound claim and its volume, in the cluster and in the driver. */
  addClaim(parts?: BoundClaim): Promise<V1PersistentVolumeClaim>;
  /** Creates the volume of a claim that has this uid. */
  addVolume(parts: BoundClaim, uid: string): Promise<void>;
  /** Deletes a claim at once, whatever finalizers it has. Its volume stays. */
  removeClaim(name?: string): Promise<void>;
  /** Patches a claim as its user does. */
  patchClaim(patch: object, name?: string): Promise<void>;
  /** Patches the status of a claim as kubelet or the binder do. */
  patchStatus(status: object, name?: string): Promise<void>;
  /** Requests another size. */
  request(size: string, name?: string): Promise<void>;
  claim(name?: string): Promise<V1PersistentVolumeClaim>;
  volume(claim?: string): Promise<V1PersistentVolume>;
  until(what: (claim: V1PersistentVolumeClaim) => unknown, name?: string): Promise<V1PersistentVolumeClaim>;
  untilVolume(what: (volume: V1PersistentVolume) => unknown, claim?: string): Promise<V1PersistentVolume>;
  /** See {@link ComponentWorld.events}; about a claim. */
  events(name?: string): Promise<string[]>;
  untilEvent(text: string, name?: string): Promise<string>;
  /** The sizes that the driver was asked for, in bytes, for the volume of a claim. */
  asked(claim?: string): readonly bigint[];
  /** Expands another claim: what was due before it has been done then. */
  witness(): Promise<void>;
}

/** A driver that expands volumes, with the node, and modifies them. */
export const expanding = {
  ...presets.minimal,
  expansion: ["ONLINE"],
  controller: ["CREATE_DELETE_VOLUME", "EXPAND_VOLUME", "MODIFY_VOLUME"],
  node: ["EXPAND_VOLUME"],
} satisfies DriverOptions["capabilities"];

/** The same without the node: an expansion is complete when the controller has answered. */
export const expandingAlone = { ...expanding, node: [] } satisfies DriverOptions["capabilities"];

export async function startWorld(options: WorldOptions = {}): Promise<ResizerWorld> {
  await using opened = new AsyncDisposableStack();
  const { driver: driverOptions, ownServer = false, flags, ...others } = options;
  const base = opened.use(
    await startComponentWorld({ cluster: { own: ownServer }, driver: { name: driverName, capabilities: expanding, ...driverOptions } }),
  );
  const { admin, cluster, driver } = base;
  await admin.create(StorageClass, { metadata: { name: className }, provisioner: driverName, allowVolumeExpansion: true });
  const tested = await base.add(resizer, { ...others, flags: { ...fastFlags, timeout: 2_000, ...flags } });

  const world: ResizerWorld = {
    ...base,
    ...tested,
    get dead() {
      return tested.dead;
    },
    async addClaim(parts = {}) {
      const { name = "data" } = parts;
      if (!driver.volumes.has(handleOf(name))) driver.addVolume({ id: handleOf(name) });
      const made = await admin.create(PersistentVolumeClaim, claimOf(parts));
      const { uid = "" } = made.metadata ?? {};
      if (!(await ignoreNotFound(admin.get(PersistentVolume, { name: volumeNameOf(name) })))) await world.addVolume(parts, uid);
      return admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status: statusOf(parts) }), { subresource: "status" });
    },
    async addVolume(parts, uid) {
      await admin.create(PersistentVolume, volumeOf(parts, uid));
    },
    removeClaim: (name = "data") => cluster.removeUnderFinalizers(PersistentVolumeClaim, inDefault(name)),
    async patchClaim(patch, name = "data") {
      await admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch(patch));
    },
    async patchStatus(status, name = "data") {
      await admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status }), { subresource: "status" });
    },
    request: (storage, name) => world.patchClaim({ spec: { resources: { requests: { storage } } } }, name),
    claim: (name = "data") => admin.get(PersistentVolumeClaim, inDefault(name)),
    volume: (claim = "data") => admin.get(PersistentVolume, { name: volumeNameOf(claim) }),
    until: (what, name = "data") => base.until(PersistentVolumeClaim, inDefault(name), what),
    untilVolume: (what, claim = "data") => base.until(PersistentVolume, { name: volumeNameOf(claim) }, what),
    events: (name = "data") => base.events(name),
    untilEvent: (text, name = "data") => base.untilEvent(name, text),
    asked(claim = "data") {
      const calls = driver.calls("ControllerExpandVolume").filter(({ request }) => request.volumeId === handleOf(claim));
      return calls.map(({ request }) => request.capacityRange?.requiredBytes ?? 0n);
    },
    async witness() {
      await world.addClaim({ name: "witness", request: "2Gi" });
      await world.untilTrue(() => world.asked("witness").length > 0);
    },
    [Symbol.asyncDispose]: () => disposing.disposeAsync(),
  };
  const disposing = opened.move();
  return world;
}
