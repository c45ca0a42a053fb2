import { controllerCapabilities } from "@csi-sidecars/controller";
import { type DriverCapabilities, ControllerServiceCapability_RPC_Type as Rpc } from "@csi-sidecars/csi";
import { attacherFinalizerPrefix, sanitizeName } from "@csi-sidecars/kube";

/** What is to be done for a driver, as its capabilities decide. */
export type DriverMode = { readonly kind: "trivial" } | CsiMode;

/** A driver that attaches volumes. Of any other, every attachment is marked as attached. */
export interface CsiMode {
  readonly kind: "csi";
  /** PUBLISH_READONLY */
  readonly publishReadonly: boolean;
  /** SINGLE_NODE_MULTI_WRITER */
  readonly singleNodeMultiWriter: boolean;
  /** LIST_VOLUMES and LIST_VOLUMES_PUBLISHED_NODES */
  readonly listsPublished: boolean;
}

/** What reconciling needs to know of the driver. It does not change while the component runs. */
export interface DriverInfo extends Pick<CsiMode, "publishReadonly" | "singleNodeMultiWriter"> {
  readonly name: string;
  readonly finalizer: string;
  /** `--default-fstype`: for volumes that name no file system. */
  readonly defaultFsType: string;
}

/** Asks the driver for its capabilities. */
export async function driverMode(capabilities: DriverCapabilities): Promise<DriverMode> {
  const { rpcs } = await controllerCapabilities(capabilities, { timeoutMs: 1_000 });
  if (!rpcs.has(Rpc.PUBLISH_UNPUBLISH_VOLUME)) return { kind: "trivial" };
  return {
    kind: "csi",
    publishReadonly: rpcs.has(Rpc.PUBLISH_READONLY),
    singleNodeMultiWriter: rpcs.has(Rpc.SINGLE_NODE_MULTI_WRITER),
    listsPublished: rpcs.has(Rpc.LIST_VOLUMES) && rpcs.has(Rpc.LIST_VOLUMES_PUBLISHED_NODES),
  };
}

/** Keeps a VolumeAttachment until it is detached, and a PersistentVolume until no attachment needs it. */
export function finalizerName(driver: string): string {
  return `${attacherFinalizerPrefix}${sanitizeName(driver)}`;
}
