import {
  type ControllerDefinition,
  type GroupControllerDefinition,
  GroupControllerServiceCapability_RPC_Type as GroupRpc,
  ControllerServiceCapability_RPC_Type as Rpc,
  type ServiceHandlers,
} from "@csi-sidecars/csi";
import type { Backend } from "../backend.ts";
import { controllerCapabilities, pluginServices, requireCapability } from "../capabilities.ts";
import { controllerGetVolumeHealth, controllerListVolumeHealth } from "../volume-health.ts";
import { controllerPublishVolume, controllerUnpublishVolume } from "./attach.ts";
import { getCapacity } from "./capacity.ts";
import { createVolume } from "./create-volume.ts";
import { deleteVolume } from "./delete-volume.ts";
import { controllerExpandVolume } from "./expand-volume.ts";
import { createVolumeGroupSnapshot, deleteVolumeGroupSnapshot, getVolumeGroupSnapshot } from "./group-snapshots.ts";
import { controllerGetVolume, listSnapshots, listVolumes } from "./list.ts";
import { controllerModifyVolume } from "./modify-volume.ts";
import { createSnapshot, deleteSnapshot, getSnapshot } from "./snapshots.ts";
import { validateVolumeCapabilities } from "./volume-capabilities.ts";

/** The Controller service: each RPC with the capability it requires. */
export function controllerService(backend: Backend): ServiceHandlers<typeof ControllerDefinition> {
  const capabilities = () => controllerCapabilities(backend.settings);
  type Capability = ReturnType<typeof capabilities>[number];
  const withCapability =
    <R, A>(capability: Capability, work: (backend: Backend, request: R) => A) =>
    (request: R): A => {
      requireCapability(capabilities(), capability);
      return work(backend, request);
    };
  return {
    controllerGetCapabilities: () => ({
      capabilities: capabilities().map((name) => ({ type: { $case: "rpc" as const, rpc: { type: Rpc[name] } } })),
    }),
    validateVolumeCapabilities: (request) => validateVolumeCapabilities(backend, request),
    createVolume: withCapability("CREATE_DELETE_VOLUME", createVolume),
    deleteVolume: withCapability("CREATE_DELETE_VOLUME", deleteVolume),
    controllerPublishVolume: withCapability("PUBLISH_UNPUBLISH_VOLUME", controllerPublishVolume),
    controllerUnpublishVolume: withCapability("PUBLISH_UNPUBLISH_VOLUME", controllerUnpublishVolume),
    getCapacity: withCapability("GET_CAPACITY", getCapacity),
    listVolumes: withCapability("LIST_VOLUMES", listVolumes),
    controllerGetVolume: withCapability("GET_VOLUME", controllerGetVolume),
    controllerModifyVolume: withCapability("MODIFY_VOLUME", controllerModifyVolume),
    controllerExpandVolume: withCapability("EXPAND_VOLUME", controllerExpandVolume),
    createSnapshot: withCapability("CREATE_DELETE_SNAPSHOT", createSnapshot),
    deleteSnapshot: withCapability("CREATE_DELETE_SNAPSHOT", deleteSnapshot),
    listSnapshots: withCapability("LIST_SNAPSHOTS", listSnapshots),
    getSnapshot: withCapability("GET_SNAPSHOT", getSnapshot),
    controllerGetVolumeHealth: withCapability("GET_VOLUME_HEALTH", controllerGetVolumeHealth),
    controllerListVolumeHealth: withCapability("LIST_VOLUME_HEALTH", controllerListVolumeHealth),
  };
}

/** The GroupController service; all of it is unimplemented if group snapshots are disabled. */
export function groupControllerService(backend: Backend): ServiceHandlers<typeof GroupControllerDefinition> {
  const withService =
    <R, A>(work: (backend: Backend, request: R) => A) =>
    (request: R): A => {
      requireCapability(pluginServices(backend.settings), "GROUP_CONTROLLER_SERVICE");
      return work(backend, request);
    };
  const capability = { type: { $case: "rpc" as const, rpc: { type: GroupRpc.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT } } };
  return {
    groupControllerGetCapabilities: withService(() => ({ capabilities: [capability] })),
    createVolumeGroupSnapshot: withService(createVolumeGroupSnapshot),
    deleteVolumeGroupSnapshot: withService(deleteVolumeGroupSnapshot),
    getVolumeGroupSnapshot: withService(getVolumeGroupSnapshot),
  };
}
