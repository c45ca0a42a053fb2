import { type DriverCapabilities, PluginCapability_Service_Type, ControllerServiceCapability_RPC_Type as Rpc } from "@csi-sidecars/csi";

/** What is to be done for a driver, as its capabilities decide. */
export type DriverMode =
  /** The driver knows no attaching: every attachment is attached as it is. */
  | { readonly kind: "trivial" }
  | {
      readonly kind: "csi";
      readonly publishReadonly: boolean;
      readonly singleNodeMultiWriter: boolean;
      /** Whether it lists what is attached where. */
      readonly listsPublished: boolean;
    };

const limit = { timeoutMs: 1_000 };

/** Asks the driver. One without a controller service is not asked about it. */
export async function driverMode(capabilities: DriverCapabilities): Promise<DriverMode> {
  const { services } = await capabilities.plugin(limit);
  if (!services.has(PluginCapability_Service_Type.CONTROLLER_SERVICE)) return { kind: "trivial" };
  const rpcs = await capabilities.controller(limit);
  if (!rpcs.has(Rpc.PUBLISH_UNPUBLISH_VOLUME)) return { kind: "trivial" };
  return {
    kind: "csi",
    publishReadonly: rpcs.has(Rpc.PUBLISH_READONLY),
    singleNodeMultiWriter: rpcs.has(Rpc.SINGLE_NODE_MULTI_WRITER),
    listsPublished: rpcs.has(Rpc.LIST_VOLUMES) && rpcs.has(Rpc.LIST_VOLUMES_PUBLISHED_NODES),
  };
}
