import { FakeClock, until } from "@csi-sidecars/base/testing";
import type { PolicyRule } from "@csi-sidecars/host";
import { Event, mergePatch, PersistentVolume, PersistentVolumeClaim, type V1Event, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import {
  type ComponentWorld,
  type DriverOptions,
  presets,
  startComponentWorld,
  type TestedComponent,
  type TestedComponentOptions,
} from "@csi-sidecars/testcluster";
import { healthMonitor } from "../component.ts";
import type { HealthMonitorComponentContext, healthMonitorFlags } from "../flags.ts";
import { type BoundClaim, claimOf, driverName, handleOf, volumeNameOf, volumeOf } from "./objects.ts";

export interface WorldOptions {
  readonly flags?: Partial<HealthMonitorComponentContext["flags"]>;
  readonly driver?: DriverOptions;
  /** What the component's user may do; the shipped role unless told. */
  readonly role?: readonly PolicyRule[];
  /** A server of the test's own, to be stopped. */
  readonly ownServer?: boolean;
  /** Left to the test: `world.run()`. */
  readonly stopped?: boolean;
  readonly wrapClient?: TestedComponentOptions<typeof healthMonitorFlags>["wrapClient"];
}

/**
 * The component with a driver and an API server, all over real sockets; its user may do what the shipped role says and no more. Its clock
 * stands still until a test moves it.
 */
export interface HealthWorld extends Omit<ComponentWorld, "add">, TestedComponent {
  readonly clock: FakeClock;
  /** Creates a bound claim and its volume, in the cluster and in the driver. */
  addClaim(parts?: BoundClaim): Promise<V1PersistentVolumeClaim>;
  /** Creates the volume of a claim that has this uid. */
  addVolume(parts: BoundClaim, uid: string): Promise<void>;
  /** Deletes the volume of a claim at once, whatever finalizers it has. */
  removeVolume(claim?: string): Promise<void>;
  setPhase(claim: string, phase: NonNullable<BoundClaim["phase"]>): Promise<void>;
  /** Makes a volume abnormal, or healthy without a message. */
  setCondition(abnormal: string | undefined, claim?: string): void;
  /** Waits until the component has made so many more lists, moving its clock on. */
  passes(more?: number): Promise<void>;
  /** Waits until the caches have seen all changes so far and the driver was asked since: another abnormal volume is reported by then. */
  checked(): Promise<void>;
  /** `Warning VolumeConditionAbnormal x2: message` of the events about a claim of this name, with how often each was told. */
  told(claim?: string): Promise<string[]>;
  untilTold(expected: readonly string[], claim?: string): Promise<void>;
  /** Creates an event about a claim, as an earlier process did. */
  addEvent(claim: V1PersistentVolumeClaim, event: Partial<V1Event>): Promise<void>;
}

/** A driver that lists its volumes with their conditions. */
export const lists = { ...presets.minimal, controller: ["LIST_VOLUMES", "VOLUME_CONDITION"] } satisfies DriverOptions["capabilities"];
/** One that has to be asked about each. */
export const gets = { ...presets.minimal, controller: ["GET_VOLUME", "VOLUME_CONDITION"] } satisfies DriverOptions["capabilities"];

export const listInterval = 300_000;

export async function startWorld(options: WorldOptions = {}): Promise<HealthWorld> {
  await using opened = new AsyncDisposableStack();
  const { driver: driverOptions, ownServer = false, flags, ...others } = options;
  const base = opened.use(
    await startComponentWorld({ cluster: { own: ownServer }, driver: { name: driverName, capabilities: lists, ...driverOptions } }),
  );
  const { admin, cluster, driver } = base;
  const clock = new FakeClock(Date.now());
  const tested = await base.add(healthMonitor, { ...others, clock, flags: { kubeApiQps: -1, timeout: 2_000, ...flags } });

  let witnesses = 0;
  const world: HealthWorld = {
    ...base,
    ...tested,
    clock,
    get dead() {
      return tested.dead;
    },
    async addClaim(parts = {}) {
      const { name = "data", handle = handleOf(name), namespace = "default" } = parts;
      if (!driver.volumes.has(handle)) driver.addVolume({ id: handle });
      const made = await admin.create(PersistentVolumeClaim, claimOf(parts));
      await world.addVolume(parts, made.metadata?.uid ?? "");
      await admin.patch(PersistentVolumeClaim, { namespace, name }, mergePatch({ status: { phase: "Bound" } }), { subresource: "status" });
      return made;
    },
    async addVolume(parts, uid) {
      await admin.create(PersistentVolume, volumeOf(parts, uid));
      await world.setPhase(parts.name ?? "data", parts.phase ?? "Bound");
    },
    removeVolume: (claim = "data") => cluster.removeUnderFinalizers(PersistentVolume, { name: volumeNameOf(claim) }),
    async setPhase(claim, phase) {
      await admin.patch(PersistentVolume, { name: volumeNameOf(claim) }, mergePatch({ status: { phase } }), { subresource: "status" });
    },
    setCondition(abnormal, claim = "data") {
      const volume = driver.volumes.get(handleOf(claim));
      if (!volume) throw new Error(`there is no volume of ${claim}`);
      volume.abnormal = abnormal;
    },
    async passes(more = 1) {
      const seen = () => driver.calls("ListVolumes").filter(({ request, endedAt }) => request.startingToken === "" && endedAt).length;
      for (let i = 0; i < more; i++) {
        const before = seen();
        const isNext = async () => {
          if (clock.waiting > 0 && seen() === before) await clock.advance(clock.nextIn ?? 0);
          return seen() > before && clock.waiting > 0;
        };
        await until(() => `list ${before + 1}, seen: ${seen()}`, isNext);
      }
    },
    async checked() {
      const name = `witness-${++witnesses}`;
      driver.addVolume({ id: handleOf(name), abnormal: "broken" });
      await world.addClaim({ name });
      const isTold = async () => {
        await clock.advance(2_000);
        return (await world.told(name)).length > 0;
      };
      await until(`a report about ${name}`, isTold);
    },
    async told(claim = "data") {
      const { items } = await admin.list(Event);
      return items
        .filter(({ involvedObject }) => involvedObject.name === claim)
        .map(({ type, reason, message = "", count }) => `${type} ${reason} x${count}: ${message}`);
    },
    async untilTold(expected, claim) {
      let seen: readonly string[] = [];
      const look = async () => {
        seen = await world.told(claim);
        return seen.join("\n") === expected.join("\n");
      };
      await until(() => `events ${expected.join("\n")}; seen: ${seen.join("\n")}`, look);
    },
    async addEvent({ metadata }, event) {
      const { name = "", namespace = "default", uid } = metadata ?? {};
      await admin.create(Event, {
        metadata: { namespace, name: `${name}.${crypto.randomUUID()}` },
        involvedObject: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
        ...event,
      });
    },
    [Symbol.asyncDispose]: () => disposing.disposeAsync(),
  };
  const disposing = opened.move();
  return world;
}
