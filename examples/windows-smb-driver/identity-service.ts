import type { IdentityDefinition, ServiceHandlers } from "@csi-sidecars/csi";
import type { SmbDriver } from "./driver.ts";

export const vendorVersion = "0.1.0";

/** The Identity service: a driver for nodes, without a controller. Its shares are made elsewhere. */
export function identityService({ driverName }: Pick<SmbDriver, "driverName">): ServiceHandlers<typeof IdentityDefinition> {
  return {
    getPluginInfo: () => ({ name: driverName, vendorVersion }),
    getPluginCapabilities: () => ({ capabilities: [] }),
    probe: () => ({ ready: true }),
  };
}
