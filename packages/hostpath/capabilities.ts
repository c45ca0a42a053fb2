import { ownValue } from "@csi-sidecars/base";
import {
  type ControllerServiceCapability_RPC_Type as ControllerRpc,
  PluginCapability_VolumeExpansion_Type as Expansion,
  type NodeServiceCapability_RPC_Type as NodeRpc,
  PluginCapability_Service_Type as Service,
} from "@csi-sidecars/csi";
import { refuse } from "./refuse.ts";
import type { Settings } from "./settings.ts";

type Name<T> = Exclude<keyof T & string, "UNKNOWN">;

/** The plugin capabilities of type Service. */
export function pluginServices(settings: Settings): Name<typeof Service>[] {
  return chosen({
    CONTROLLER_SERVICE: true,
    GROUP_CONTROLLER_SERVICE: settings.groupSnapshots,
    VOLUME_ACCESSIBILITY_CONSTRAINTS: settings.topology,
    // Without files there are no blocks to compare.
    SNAPSHOT_METADATA_SERVICE: settings.snapshotMetadata && settings.backend === "disk",
    SNAPSHOT_ACCESSIBILITY_CONSTRAINTS: settings.topology && settings.snapshotTopology,
  });
}

/** The capabilities of the Controller service. */
export function controllerCapabilities(settings: Settings): Name<typeof ControllerRpc>[] {
  if (settings.ephemeral) return [];
  return chosen({
    CREATE_DELETE_VOLUME: true,
    GET_VOLUME: settings.getVolume,
    GET_CAPACITY: true,
    CREATE_DELETE_SNAPSHOT: true,
    LIST_SNAPSHOTS: settings.listSnapshots,
    GET_SNAPSHOT: true,
    LIST_VOLUMES: settings.listVolumes,
    CLONE_VOLUME: true,
    VOLUME_CONDITION: settings.volumeCondition,
    SINGLE_NODE_MULTI_WRITER: true,
    EXPAND_VOLUME: settings.expansion && settings.controllerExpansion,
    PUBLISH_UNPUBLISH_VOLUME: settings.attach,
    MODIFY_VOLUME: settings.modify,
    LIST_VOLUMES_PUBLISHED_NODES: settings.attach && settings.listVolumes && settings.publishedNodes,
    PUBLISH_READONLY: settings.attach && settings.publishReadonly,
    GET_VOLUME_HEALTH: settings.volumeHealth,
    LIST_VOLUME_HEALTH: settings.volumeHealth,
  });
}

/** The capabilities of the Node service. */
export function nodeCapabilities(settings: Settings): Name<typeof NodeRpc>[] {
  return chosen({
    STAGE_UNSTAGE_VOLUME: true,
    VOLUME_CONDITION: settings.volumeCondition,
    GET_VOLUME_STATS: true,
    SINGLE_NODE_MULTI_WRITER: true,
    EXPAND_VOLUME: settings.expansion && settings.nodeExpansion,
    VOLUME_MOUNT_GROUP: settings.volumeMountGroup,
    GET_VOLUME_HEALTH: settings.volumeHealth,
    GET_STORAGE_HEALTH: settings.volumeHealth,
  });
}

/** The answer of GetPluginCapabilities. */
export function pluginCapabilities(settings: Settings) {
  const { expansionMode } = settings;
  const expansion = expansionMode === "none" ? [] : [{ type: expansionMode === "online" ? Expansion.ONLINE : Expansion.OFFLINE }];
  return {
    capabilities: [
      ...pluginServices(settings).map((name) => ({ type: { $case: "service" as const, service: { type: Service[name] } } })),
      ...expansion.map((volumeExpansion) => ({ type: { $case: "volumeExpansion" as const, volumeExpansion } })),
    ],
  };
}

/** Refuses an RPC whose capability is disabled. */
export function requireCapability<N extends string>(capabilities: readonly N[], name: NoInfer<N>): void {
  if (!capabilities.includes(name)) refuse("Unimplemented", `unsupported capability ${name}`);
}

function chosen<N extends string>(choices: Readonly<Record<N, boolean>>): N[] {
  return (Object.keys(choices) as N[]).filter((name) => ownValue(choices, name));
}
