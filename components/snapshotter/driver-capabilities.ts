import type { Logger } from "@csi-sidecars/base";
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
}

/** Asks the driver for its capabilities, once for each connection. */
export async function driverInfo(
  name: string,
  capabilities: DriverCapabilities,
  options: { readonly timeoutMs: number },
): Promise<DriverInfo> {
  const { rpcs } = await controllerCapabilities(capabilities, options);
  return {
    name,
    getsSnapshots: rpcs.has(Rpc.GET_SNAPSHOT),
    listsSnapshots: rpcs.has(Rpc.LIST_SNAPSHOTS),
  };
}

/**
 * Whether the driver says that it takes group snapshots, as far as it knows; the log tells if not. It is asked for them all the same: users are
 * told of its refusal, and what they delete then goes.
 */
export async function saysThatItTakesGroups(
  capabilities: DriverCapabilities,
  options: { readonly timeoutMs: number },
  log: Logger,
): Promise<boolean> {
  try {
    const rpcs = await capabilities.groupController(options);
    if (rpcs.has(GroupRpc.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT)) return true;
    log.info("The driver does not say that it takes group snapshots", { missing: "CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT" });
  } catch (error) {
    log.error(error, "Failed to ask the driver whether it takes group snapshots");
  }
  return false;
}

/** Why there is nothing to do for the driver, in upstream's words. */
export async function unsupportedDriver(
  { name, capabilities }: { readonly name: string; readonly capabilities: DriverCapabilities },
  options: { readonly timeoutMs: number },
): Promise<string | undefined> {
  const { rpcs } = await controllerCapabilities(capabilities, options);
  return rpcs.has(Rpc.CREATE_DELETE_SNAPSHOT) ? undefined : `CSI driver ${name} does not support ControllerCreateSnapshot`;
}
