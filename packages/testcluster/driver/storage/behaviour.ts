import { type Capabilities, capabilityAnswers } from "../capabilities.ts";
import type { Settings } from "../driver-options.ts";
import type { Behaviour, Method } from "../methods.ts";
import { node } from "./node.ts";
import { publications } from "./publications.ts";
import { groupSnapshots, snapshots } from "./snapshots.ts";
import { refuse, type Storage } from "./storage.ts";
import { health, volumes } from "./volumes.ts";

/** The implementation of all methods over the storage. */
export function behaviour(storage: Storage, settings: Settings): Behaviour {
  return {
    ...identity(settings),
    ...volumes(storage, settings),
    ...publications(storage, settings),
    ...snapshots(storage, settings),
    ...groupSnapshots(storage, settings),
    ...node(storage, settings),
    ...health(storage),
  };
}

const group = "CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT";

type Needs = { readonly [K in keyof Capabilities]?: Capabilities[K][number] };

/** The capabilities that a method needs. */
const needs: { readonly [M in Method]?: Needs } = {
  ControllerGetCapabilities: {},
  CreateVolume: { controller: "CREATE_DELETE_VOLUME" },
  DeleteVolume: { controller: "CREATE_DELETE_VOLUME" },
  ControllerPublishVolume: { controller: "PUBLISH_UNPUBLISH_VOLUME" },
  ControllerUnpublishVolume: { controller: "PUBLISH_UNPUBLISH_VOLUME" },
  ValidateVolumeCapabilities: {},
  ListVolumes: { controller: "LIST_VOLUMES" },
  GetCapacity: { controller: "GET_CAPACITY" },
  CreateSnapshot: { controller: "CREATE_DELETE_SNAPSHOT" },
  DeleteSnapshot: { controller: "CREATE_DELETE_SNAPSHOT" },
  ListSnapshots: { controller: "LIST_SNAPSHOTS" },
  GetSnapshot: { controller: "GET_SNAPSHOT" },
  ControllerExpandVolume: { controller: "EXPAND_VOLUME" },
  ControllerGetVolume: { controller: "GET_VOLUME" },
  ControllerModifyVolume: { controller: "MODIFY_VOLUME" },
  ControllerGetVolumeHealth: { controller: "GET_VOLUME_HEALTH" },
  ControllerListVolumeHealth: { controller: "LIST_VOLUME_HEALTH" },
  GroupControllerGetCapabilities: { plugin: "GROUP_CONTROLLER_SERVICE" },
  CreateVolumeGroupSnapshot: { plugin: "GROUP_CONTROLLER_SERVICE", groupController: group },
  DeleteVolumeGroupSnapshot: { plugin: "GROUP_CONTROLLER_SERVICE", groupController: group },
  GetVolumeGroupSnapshot: { plugin: "GROUP_CONTROLLER_SERVICE", groupController: group },
  NodeStageVolume: { node: "STAGE_UNSTAGE_VOLUME" },
  NodeUnstageVolume: { node: "STAGE_UNSTAGE_VOLUME" },
  NodeGetVolumeStats: { node: "GET_VOLUME_STATS" },
  NodeExpandVolume: { node: "EXPAND_VOLUME" },
  NodeGetVolumeHealth: { node: "GET_VOLUME_HEALTH" },
  NodeGetStorageHealth: { node: "GET_STORAGE_HEALTH" },
};

const neverMissing = new Set<Method>(["GetPluginInfo", "GetPluginCapabilities", "Probe"]);

/** Responds Unimplemented to methods whose capability is not reported. */
export function checkCapability(method: Method, capabilities: Capabilities): void {
  const { plugin, controller, groupController, node: onNode } = needs[method] ?? {};
  const ofController = !neverMissing.has(method) && !method.startsWith("Node") && plugin === undefined;
  if (
    (ofController && !capabilities.plugin.includes("CONTROLLER_SERVICE")) ||
    (plugin && !capabilities.plugin.includes(plugin)) ||
    (controller && !capabilities.controller.includes(controller)) ||
    (groupController && !capabilities.groupController.includes(groupController)) ||
    (onNode && !capabilities.node.includes(onNode))
  )
    refuse("Unimplemented", `method ${method} not implemented`);
}

/** The identity service and the capability methods. */
function identity(settings: Settings) {
  return {
    GetPluginInfo: () => ({ name: settings.name, vendorVersion: settings.vendorVersion }),
    GetPluginCapabilities: () => capabilityAnswers.plugin(settings.capabilities),
    Probe: () => ({ ready: settings.ready }),
    ControllerGetCapabilities: () => capabilityAnswers.controller(settings.capabilities),
    GroupControllerGetCapabilities: () => capabilityAnswers.groupController(settings.capabilities),
    NodeGetCapabilities: () => capabilityAnswers.node(settings.capabilities),
  } satisfies Partial<Behaviour>;
}
