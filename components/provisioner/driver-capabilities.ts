import { controllerCapabilities } from "@csi-sidecars/controller";
import { type DriverCapabilities, ControllerServiceCapability_RPC_Type as Rpc } from "@csi-sidecars/csi";
import { inTreeNameOf } from "@csi-sidecars/translation";
import { messages } from "./messages.ts";
import { usesTopology } from "./topology/requirement.ts";

/** What is known about the driver. It does not change while the component runs. */
export interface DriverInfo {
  readonly name: string;
  /** Of the in-tree plugin that the driver replaced, if it did. */
  readonly inTreeName: string | undefined;
  readonly controllerService: boolean;
  readonly createsVolumes: boolean;
  readonly restoresSnapshots: boolean;
  readonly clonesVolumes: boolean;
  readonly modifiesVolumes: boolean;
  readonly publishesVolumes: boolean;
  readonly singleNodeMultiWriter: boolean;
  /** Whether its volumes are accessible from some nodes only. */
  readonly topology: boolean;
}

/** Asks the driver for its capabilities, once for each run of the component. */
export async function driverInfo(
  name: string,
  capabilities: DriverCapabilities,
  { topologyGate, timeoutMs }: { readonly topologyGate: boolean; readonly timeoutMs: number },
): Promise<DriverInfo> {
  const { plugin, controllerService, rpcs } = await controllerCapabilities(capabilities, { timeoutMs });
  return {
    name,
    inTreeName: inTreeNameOf(name),
    controllerService,
    createsVolumes: rpcs.has(Rpc.CREATE_DELETE_VOLUME),
    restoresSnapshots: rpcs.has(Rpc.CREATE_DELETE_SNAPSHOT),
    clonesVolumes: rpcs.has(Rpc.CLONE_VOLUME),
    modifiesVolumes: rpcs.has(Rpc.MODIFY_VOLUME),
    publishesVolumes: rpcs.has(Rpc.PUBLISH_UNPUBLISH_VOLUME),
    singleNodeMultiWriter: rpcs.has(Rpc.SINGLE_NODE_MULTI_WRITER),
    topology: usesTopology(topologyGate, plugin),
  };
}

/** What a volume needs of the driver beyond being created. */
export interface VolumeNeeds {
  readonly snapshot?: boolean;
  readonly clone?: boolean;
  readonly attributesClass?: boolean;
}

/** Why the driver can neither create nor delete volumes, or not such a one. */
export function missingCapability(driver: DriverInfo, needs: VolumeNeeds = {}): string | undefined {
  const provisioning = "dynamic provisioning";
  if (!driver.controllerService) return messages.unsupported(provisioning, "plugin CONTROLLER_SERVICE");
  if (!driver.createsVolumes) return messages.unsupported(provisioning, "controller CREATE_DELETE_VOLUME");
  if (needs.snapshot && !driver.restoresSnapshots) {
    return messages.unsupported("snapshot restore", "controller CREATE_DELETE_SNAPSHOT");
  }
  if (needs.clone && !driver.clonesVolumes) {
    return messages.unsupported("clone operations", "controller CLONE_VOLUME");
  }
  if (needs.attributesClass && !driver.modifiesVolumes) {
    return messages.unsupported("VolumeAttributesClass", "controller MODIFY_VOLUME");
  }
  return undefined;
}
