import { controllerCapabilities } from "@csi-sidecars/controller";
import { type DriverCapabilities, ControllerServiceCapability_RPC_Type as Rpc } from "@csi-sidecars/csi";
import { attacherFinalizerPrefix, sanitizeName } from "@csi-sidecars/kube";

/** The capabilities of a driver that attaches volumes. */
export interface PublishCapabilities {
  /** PUBLISH_READONLY */
  readonly publishReadonly: boolean;
  /** SINGLE_NODE_MULTI_WRITER */
  readonly singleNodeMultiWriter: boolean;
  /** LIST_VOLUMES and LIST_VOLUMES_PUBLISHED_NODES */
  readonly listVolumesPublishedNodes: boolean;
}

/** What reconciling needs to know of the driver. It does not change while the component runs. */
export interface DriverInfo extends Pick<PublishCapabilities, "publishReadonly" | "singleNodeMultiWriter"> {
  readonly name: string;
  readonly finalizer: string;
  /** `--default-fstype`: for volumes that name no file system. */
  readonly defaultFsType: string;
}

/** Asks the driver for its capabilities; `undefined` without PUBLISH_UNPUBLISH_VOLUME: it does not attach volumes. */
export async function publishCapabilities(capabilities: DriverCapabilities): Promise<PublishCapabilities | undefined> {
  const { rpcs } = await controllerCapabilities(capabilities, { timeoutMs: 1_000 });
  if (!rpcs.has(Rpc.PUBLISH_UNPUBLISH_VOLUME)) return undefined;
  return {
    publishReadonly: rpcs.has(Rpc.PUBLISH_READONLY),
    singleNodeMultiWriter: rpcs.has(Rpc.SINGLE_NODE_MULTI_WRITER),
    listVolumesPublishedNodes: rpcs.has(Rpc.LIST_VOLUMES) && rpcs.has(Rpc.LIST_VOLUMES_PUBLISHED_NODES),
  };
}

/** Keeps a VolumeAttachment until it is detached, and a PersistentVolume until no attachment needs it. */
export function finalizerName(driver: string): string {
  return `${attacherFinalizerPrefix}${sanitizeName(driver)}`;
}
