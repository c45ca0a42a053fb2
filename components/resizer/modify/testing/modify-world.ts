import { mergePatch, type V1PersistentVolumeClaim, VolumeAttributesClass } from "@csi-sidecars/kube";
import type { BoundClaim } from "../../testing/objects.ts";
import { type ResizerWorld, startWorld, type WorldOptions } from "../../testing/resizer-world.ts";
import { attributesClassObject } from "./attributes-class.ts";

/** The world of the resizer with the classes `silver`, `gold` and `bronze`. */
export interface ModifyWorld extends ResizerWorld {
  createClass(...parts: Parameters<typeof attributesClassObject>): Promise<void>;
  deleteClass(name: string): Promise<void>;
  /** Names another class in a claim; none with `null`. */
  nameClass(className: string | null, claim?: string): Promise<void>;
  /** Waits until a claim and its volume have the class. */
  untilModified(className: string, claim?: string): Promise<V1PersistentVolumeClaim>;
  /** The `tier` of each ControllerModifyVolume call, in order; with the volume's handle where there are several volumes. */
  tiers(): (string | undefined)[];
  /** Its writes of claims and volumes so far. */
  writes(): Promise<number>;
}

export async function startModifyWorld(options: WorldOptions = {}): Promise<ModifyWorld> {
  const world = await startWorld({ ...options, stopped: true });
  const modifyWorld: ModifyWorld = Object.assign(world, {
    async createClass(...parts: Parameters<typeof attributesClassObject>) {
      await world.create(VolumeAttributesClass, attributesClassObject(...parts));
    },
    async deleteClass(name: string) {
      // The real server's protection would hold it while a claim names it.
      await world.admin.patch(VolumeAttributesClass, { name }, mergePatch({ metadata: { finalizers: null } }));
      await world.admin.delete(VolumeAttributesClass, { name });
    },
    nameClass: (className: string | null, claim?: string) => world.patchClaim({ spec: { volumeAttributesClassName: className } }, claim),
    async untilModified(className: string, claim?: string) {
      await world.untilVolume(({ spec }) => spec?.volumeAttributesClassName === className, claim);
      return world.until(({ status }) => status?.currentVolumeAttributesClassName === className && !status.modifyVolumeStatus, claim);
    },
    tiers: () => world.driver.calls("ControllerModifyVolume").map(({ request }) => request.mutableParameters.tier),
    writes: async () => (await world.requests()).filter((request) => request.startsWith("patch")).length,
  });
  for (const name of ["silver", "gold", "bronze"]) await modifyWorld.createClass(name);
  if (!options.stopped) await world.run();
  return modifyWorld;
}

type Status = NonNullable<V1PersistentVolumeClaim["status"]>;

/** A claim that has the class `silver`. */
export function silverClaim(parts: BoundClaim = {}): BoundClaim {
  return {
    ...parts,
    spec: { volumeAttributesClassName: "silver", ...parts.spec },
    status: { currentVolumeAttributesClassName: "silver", ...parts.status },
    volume: { ...parts.volume, spec: { volumeAttributesClassName: "silver", ...parts.volume?.spec } },
  };
}

/** The status of a claim that somebody has begun to modify. */
export function begun(status: NonNullable<Status["modifyVolumeStatus"]>["status"], target: string): Partial<Status> {
  return {
    modifyVolumeStatus: { status, targetVolumeAttributesClassName: target },
    conditions: [{ type: "ModifyingVolume", status: "True", message: "begun" }],
  };
}
