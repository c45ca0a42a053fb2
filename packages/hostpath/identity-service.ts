import type { IdentityDefinition, ServiceHandlers } from "@csi-sidecars/csi";
import type { Backend } from "./backend.ts";
import { pluginCapabilities } from "./capabilities.ts";
import { refuse } from "./refuse.ts";

/** The Identity service. */
export function identityService(backend: Backend): ServiceHandlers<typeof IdentityDefinition> {
  return {
    getPluginInfo() {
      const { driverName: name, vendorVersion } = backend.settings;
      if (!name) refuse("Unavailable", "Driver name not configured");
      if (!vendorVersion) refuse("Unavailable", "Driver is missing version");
      return { name, vendorVersion };
    },
    getPluginCapabilities: () => pluginCapabilities(backend.settings),
    probe: () => (backend.scripted.probe() ? {} : { ready: false }),
  };
}
