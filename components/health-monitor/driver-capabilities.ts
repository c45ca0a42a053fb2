import { controllerCapabilities } from "@csi-sidecars/controller";
import { type DriverCapabilities, ControllerServiceCapability_RPC_Type as Rpc } from "@csi-sidecars/csi";

/** What is known about the driver. It does not change while the component runs. */
export interface DriverInfo {
  readonly name: string;
  readonly listsVolumes: boolean;
  readonly getsVolumes: boolean;
}

/** Asks the driver for its capabilities, once for each connection. */
export async function driverInfo(
  name: string,
  capabilities: DriverCapabilities,
  options: { readonly timeoutMs: number },
): Promise<DriverInfo> {
  const { rpcs } = await controllerCapabilities(capabilities, options);
  return { name, listsVolumes: rpcs.has(Rpc.LIST_VOLUMES), getsVolumes: rpcs.has(Rpc.GET_VOLUME) };
}

/** Why there is nothing to do for the driver, in upstream's words. */
export async function unsupportedDriver(
  capabilities: DriverCapabilities,
  options: { readonly timeoutMs: number },
): Promise<string | undefined> {
  const { controllerService, rpcs } = await controllerCapabilities(capabilities, options);
  if (!controllerService) return "CSI driver does not support Plugin Controller Service";
  if (rpcs.has(Rpc.VOLUME_CONDITION) && (rpcs.has(Rpc.LIST_VOLUMES) || rpcs.has(Rpc.GET_VOLUME))) return undefined;
  return "CSI driver does not support Controller ListVolumes and GetVolume service or does not implement VolumeCondition";
}
