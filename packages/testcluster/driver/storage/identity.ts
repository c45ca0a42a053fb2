import { capabilityAnswers } from "../capabilities.ts";
import type { Behaviour } from "../methods.ts";
import type { Settings } from "./settings.ts";

/** Who the driver is and what it can do. */
export function identity(settings: Settings) {
  return {
    GetPluginInfo: () => ({ name: settings.name, vendorVersion: settings.vendorVersion }),
    GetPluginCapabilities: () => capabilityAnswers.plugin(settings.capabilities),
    Probe: () => ({ ready: settings.ready }),
    ControllerGetCapabilities: () => capabilityAnswers.controller(settings.capabilities),
    GroupControllerGetCapabilities: () => capabilityAnswers.groupController(settings.capabilities),
    NodeGetCapabilities: () => capabilityAnswers.node(settings.capabilities),
  } satisfies Partial<Behaviour>;
}
