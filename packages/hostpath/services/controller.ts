import { type ControllerDefinition, ControllerServiceCapability_RPC_Type as Rpc, type ServiceHandlers } from "@csi-sidecars/csi";
import type { Backend } from "../backend.ts";
import { controllerCapabilities, needs } from "../capabilities.ts";
import { controllerPublishVolume, controllerUnpublishVolume } from "../controller/attach.ts";
import { createVolume } from "../controller/create-volume.ts";
import { deleteVolume } from "../controller/delete-volume.ts";
import { controllerExpandVolume } from "../controller/expand-volume.ts";
import { getCapacity } from "../controller/get-capacity.ts";
import { listSnapshots } from "../controller/list-snapshots.ts";
import { controllerGetVolume, listVolumes } from "../controller/list-volumes.ts";
import { controllerModifyVolume } from "../controller/modify-volume.ts";
import { createSnapshot, deleteSnapshot, getSnapshot } from "../controller/snapshots.ts";
import { validateVolumeCapabilities } from "../controller/validate-capabilities.ts";
import { controllerGetVolumeHealth, controllerListVolumeHealth } from "../controller/volume-health.ts";

/** The Controller service: each RPC under the capability it needs. */
export function controllerService(backend: Backend): ServiceHandlers<typeof ControllerDefinition> {
  const capabilities = () => controllerCapabilities(backend.settings);
  type Capability = ReturnType<typeof capabilities>[number];
  const under =
    <R, A>(capability: Capability, work: (backend: Backend, request: R) => A) =>
    (request: R): A => {
      needs(capabilities(), capability);
      return work(backend, request);
    };
  return {
    controllerGetCapabilities: () => ({
      capabilities: capabilities().map((name) => ({ type: { $case: "rpc" as const, rpc: { type: Rpc[name] } } })),
    }),
    validateVolumeCapabilities: (request) => validateVolumeCapabilities(backend, request),
    createVolume: under("CREATE_DELETE_VOLUME", createVolume),
    deleteVolume: under("CREATE_DELETE_VOLUME", deleteVolume),
    controllerPublishVolume: under("PUBLISH_UNPUBLISH_VOLUME", controllerPublishVolume),
    controllerUnpublishVolume: under("PUBLISH_UNPUBLISH_VOLUME", controllerUnpublishVolume),
    getCapacity: under("GET_CAPACITY", getCapacity),
    listVolumes: under("LIST_VOLUMES", listVolumes),
    controllerGetVolume: under("GET_VOLUME", controllerGetVolume),
    controllerModifyVolume: under("MODIFY_VOLUME", controllerModifyVolume),
    controllerExpandVolume: under("EXPAND_VOLUME", controllerExpandVolume),
    createSnapshot: under("CREATE_DELETE_SNAPSHOT", createSnapshot),
    deleteSnapshot: under("CREATE_DELETE_SNAPSHOT", deleteSnapshot),
    listSnapshots: under("LIST_SNAPSHOTS", listSnapshots),
    getSnapshot: under("GET_SNAPSHOT", getSnapshot),
    controllerGetVolumeHealth: under("GET_VOLUME_HEALTH", controllerGetVolumeHealth),
    controllerListVolumeHealth: under("LIST_VOLUME_HEALTH", controllerListVolumeHealth),
  };
}
