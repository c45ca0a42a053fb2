import { controllerCapabilities } from "@csi-sidecars/controller";
import {
  type DriverCapabilities,
  GroupControllerServiceCapability_RPC_Type as GroupRpc,
  ControllerServiceCapability_RPC_Type as Rpc,
} from "@csi-sidecars/csi";

/** What is known about the driver. It does not change while the component runs. */
export interface DriverInfo {
  readonly name: string;
  /** Whether it can be asked for one snapshot: with GetSnapshot, which is preferred, or with ListSnapshots. */
  readonly getsSnapshots: boolean;
  readonly listsSnapshots: boolean;
  readonly takesGroupSnapshots: boolean;
}

/** Asks the driver for its capabilities, once for each connection. */
export async function driverInfo(
  name: string,
  capabilities: DriverCapabilities,
  options: { readonly timeoutMs: number },
): Promise<DriverInfo> {
  const { rpcs } = await controllerCapabilities(capabilities, options);
  const groupRpcs = await capabilities.groupController(options);
  return {
    name,
    getsSnapshots: rpcs.has(Rpc.GET_SNAPSHOT),
    listsSnapshots: rpcs.has(Rpc.LIST_SNAPSHOTS),
    takesGroupSnapshots: groupRpcs.has(GroupRpc.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT),
  };
}

/** Why there is nothing to do for the driver, in upstream's words. */
export async function unsupportedDriver(
  { name, capabilities }: { readonly name: string; readonly capabilities: DriverCapabilities },
  options: { readonly timeoutMs: number },
): Promise<string | undefined> {
  const { rpcs } = await controllerCapabilities(capabilities, options);
  return rpcs.has(Rpc.CREATE_DELETE_SNAPSHOT) ? undefined : `CSI driver ${name} does not support ControllerCreateSnapshot`;
}
