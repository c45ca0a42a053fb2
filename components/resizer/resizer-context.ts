import type { Clock, Logger } from "@csi-sidecars/base";
import { AssumeCache, KeyedMutex } from "@csi-sidecars/controller";
import type { DriverClient } from "@csi-sidecars/csi";
import { type Client, projectorFor, type View } from "@csi-sidecars/kube";
import type { DriverInfo } from "./driver-capabilities.ts";
import { type ResizerEvents, resizerEvents } from "./events.ts";
import { type Claim, claimFields, migratedVolumeFields, type Volume, volumeFields } from "./fields.ts";
import type { ResizerComponentContext } from "./flags.ts";

/** What resizing and modifying share. */
export interface ResizerContext {
  readonly driver: DriverInfo;
  /** The CSI controller service of the driver. */
  readonly csiController: DriverClient["controller"];
  /** `--timeout` */
  readonly timeoutMs: number;
  readonly kube: Client;
  /** What the watches show. */
  readonly caches: { readonly claims: View<Claim>; readonly volumes: View<Volume> };
  /** The same, never behind our own writes; keys are `namespace/name` and names. */
  readonly claims: AssumeCache<Claim>;
  readonly volumes: AssumeCache<Volume>;
  /** By `namespace/name`: resizing and modifying write a claim one after the other, each from the state that the other one left. */
  readonly claimWrites: KeyedMutex;
  readonly events: ResizerEvents;
  readonly clock: Clock;
  readonly log: Logger;
}

export function resizerContext(context: ResizerComponentContext, driver: DriverInfo): ResizerContext {
  const { informers, kube, clock, log, flags } = context;
  const claims = informers.forFields(claimFields);
  const volumeSet = driver.migrated ? migratedVolumeFields : volumeFields;
  const volumes: View<Volume> = informers.forFields(volumeSet);
  return {
    csiController: context.driver.client.controller,
    timeoutMs: flags.timeout,
    caches: { claims, volumes },
    claims: new AssumeCache(claims, projectorFor(claimFields)),
    volumes: new AssumeCache(volumes, projectorFor(volumeSet)),
    claimWrites: new KeyedMutex(),
    events: resizerEvents(context.events(`external-resizer ${driver.name}`)),
    ...{ driver, kube, clock, log },
  };
}
