import { type GroupControllerDefinition, GroupControllerServiceCapability_RPC_Type as Rpc, type ServiceHandlers } from "@csi-sidecars/csi";
import type { Backend } from "../backend.ts";
import { needs, pluginServices } from "../capabilities.ts";
import { createVolumeGroupSnapshot, deleteVolumeGroupSnapshot, getVolumeGroupSnapshot } from "../controller/group-snapshots.ts";

/** The GroupController service; everything in it is unimplemented when group snapshots are off. */
export function groupControllerService(backend: Backend): ServiceHandlers<typeof GroupControllerDefinition> {
  const offered =
    <R, A>(work: (backend: Backend, request: R) => A) =>
    (request: R): A => {
      needs(pluginServices(backend.settings), "GROUP_CONTROLLER_SERVICE");
      return work(backend, request);
    };
  const capability = { type: { $case: "rpc" as const, rpc: { type: Rpc.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT } } };
  return {
    groupControllerGetCapabilities: offered(() => ({ capabilities: [capability] })),
    createVolumeGroupSnapshot: offered(createVolumeGroupSnapshot),
    deleteVolumeGroupSnapshot: offered(deleteVolumeGroupSnapshot),
    getVolumeGroupSnapshot: offered(getVolumeGroupSnapshot),
  };
}
