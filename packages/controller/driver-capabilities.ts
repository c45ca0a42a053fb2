import {
  type DriverCapabilities,
  type PluginCapabilities,
  PluginCapability_Service_Type,
  type ControllerServiceCapability_RPC_Type as Rpc,
} from "@csi-sidecars/csi";

/** What the driver says it can do. */
interface ControllerCapabilities {
  readonly plugin: PluginCapabilities;
  /** Whether it has a controller service at all. */
  readonly controllerService: boolean;
  /** Empty without a controller service. */
  readonly rpcs: ReadonlySet<Rpc>;
}

/** Asks the driver, once for each connection. */
export async function controllerCapabilities(
  capabilities: DriverCapabilities,
  options: { readonly timeoutMs: number },
): Promise<ControllerCapabilities> {
  const plugin = await capabilities.plugin(options);
  const controllerService = plugin.services.has(PluginCapability_Service_Type.CONTROLLER_SERVICE);
  return { plugin, controllerService, rpcs: await capabilities.controller(options) };
}
