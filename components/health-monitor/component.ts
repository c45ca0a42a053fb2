import { component, sidecarFlagNames } from "@csi-sidecars/host";
import { unsupportedDriver } from "./driver-capabilities.ts";
import { healthMonitorConditions } from "./event-reasons.ts";
import { healthMonitorFlags } from "./flags.ts";
import { healthMonitorRules } from "./rbac.ts";
import { startHealthMonitor } from "./start.ts";

/** external-health-monitor: asks the driver how its volumes are, and tells the users of their claims. */
export const healthMonitor = component({
  name: "health-monitor",
  standalone: "csi-external-health-monitor-controller",
  upstreamVersion: "v0.18.0",
  aliases: ["csi-external-health-monitor-controller", "volume-health-monitor", "external-health-monitor"],
  leadership: "required",
  kube: true,
  driver: "ready",
  flags: healthMonitorFlags,
  processFlags: sidecarFlagNames,
  legacyLease: (driver) => `external-health-monitor-leader-${driver}`,
  conditions: healthMonitorConditions,
  unsupported: ({ driver, flags }) => unsupportedDriver(driver.capabilities, { timeoutMs: flags.timeout }),
  rbac: healthMonitorRules,
  start: startHealthMonitor,
});
