import type { Clock, Logger } from "@csi-sidecars/base";
import type { DriverClient } from "@csi-sidecars/csi";
import type { Client, View } from "@csi-sidecars/kube";
import type { DriverInfo } from "./driver-capabilities.ts";
import { eventSource, type HealthEvents, healthEvents } from "./events.ts";
import { type Claim, claimFields, type Volume, volumeFields } from "./fields.ts";
import type { HealthMonitorComponentContext } from "./flags.ts";
import type { Outage } from "./node/plan-node.ts";
import { ClaimConditions } from "./volume/claim-conditions.ts";

/** What checking volumes and watching nodes share. */
export interface HealthContext {
  readonly driver: DriverInfo;
  /** The CSI controller service of the driver. */
  readonly csiController: DriverClient["controller"];
  /** `--timeout` */
  readonly timeoutMs: number;
  readonly kube: Client;
  readonly volumes: View<Volume>;
  readonly claims: View<Claim>;
  readonly conditions: ClaimConditions;
  /** Nodes that are down, by name. */
  readonly outages: Map<string, Outage>;
  readonly events: HealthEvents;
  readonly clock: Clock;
  readonly log: Logger;
}

export function healthContext(context: HealthMonitorComponentContext, driver: DriverInfo): HealthContext {
  const { informers, kube, clock, log, flags } = context;
  const conditions = new ClaimConditions();
  const outages = new Map<string, Outage>();
  // Each is reported again and again, whatever their number.
  const repeated = () => outages.values().reduce((claims, { told }) => claims + told.size, conditions.reported);
  return {
    csiController: context.driver.client.controller,
    timeoutMs: flags.timeout,
    volumes: informers.forFields(volumeFields),
    claims: informers.forFields(claimFields),
    events: healthEvents(context.events(eventSource(driver.name), { repeated, filtersByReason: true })),
    ...{ driver, kube, conditions, outages, clock, log },
  };
}
