import {
  ControllerServiceCapability_RPC_Type,
  GroupControllerServiceCapability_RPC_Type,
  NodeServiceCapability_RPC_Type,
  PluginCapability_Service_Type,
  PluginCapability_VolumeExpansion_Type,
} from "@csi-sidecars/csi";

type Names<T> = Exclude<keyof T, "UNKNOWN">;

/** The capabilities that a scripted driver reports, by their CSI names. It refuses calls that need another one. */
export interface Capabilities {
  readonly plugin: readonly Names<typeof PluginCapability_Service_Type>[];
  readonly expansion: readonly Names<typeof PluginCapability_VolumeExpansion_Type>[];
  readonly controller: readonly Names<typeof ControllerServiceCapability_RPC_Type>[];
  readonly groupController: readonly Names<typeof GroupControllerServiceCapability_RPC_Type>[];
  readonly node: readonly Names<typeof NodeServiceCapability_RPC_Type>[];
}

const minimal: Capabilities = {
  plugin: ["CONTROLLER_SERVICE"],
  expansion: [],
  controller: ["CREATE_DELETE_VOLUME"],
  groupController: [],
  node: [],
};

const full: Capabilities = {
  plugin: ["CONTROLLER_SERVICE", "VOLUME_ACCESSIBILITY_CONSTRAINTS", "GROUP_CONTROLLER_SERVICE"],
  expansion: ["ONLINE", "OFFLINE"],
  controller: allOf(ControllerServiceCapability_RPC_Type),
  groupController: allOf(GroupControllerServiceCapability_RPC_Type),
  node: allOf(NodeServiceCapability_RPC_Type),
};

/**
 * Usual drivers, to be used as they are or changed: `{ ...presets.full, node: [] }`.
 * - `minimal`: creates and deletes volumes.
 * - `attachable`: publishes them to nodes too, and lists where they are published.
 * - `full`: all that the scripted driver can do.
 * - `nodeOnly`: no controller service.
 */
export const presets = {
  minimal,
  attachable: {
    ...minimal,
    controller: [
      "CREATE_DELETE_VOLUME",
      "PUBLISH_UNPUBLISH_VOLUME",
      "PUBLISH_READONLY",
      "SINGLE_NODE_MULTI_WRITER",
      "LIST_VOLUMES",
      "LIST_VOLUMES_PUBLISHED_NODES",
    ],
  },
  full,
  nodeOnly: { ...minimal, plugin: [], controller: [] },
} satisfies Record<string, Capabilities>;

/** The name of a preset. */
export type Preset = keyof typeof presets;

function allOf<T extends object>(types: T): Names<T>[] {
  return Object.keys(types).filter((name): name is Names<T> & string => name !== "UNKNOWN");
}

/** The responses of the four capability methods. */
export const capabilityAnswers = {
  plugin: ({ plugin, expansion }: Capabilities) => ({
    capabilities: [
      ...plugin.map((name) => ({ type: { $case: "service" as const, service: { type: PluginCapability_Service_Type[name] } } })),
      ...expansion.map((name) => ({
        type: { $case: "volumeExpansion" as const, volumeExpansion: { type: PluginCapability_VolumeExpansion_Type[name] } },
      })),
    ],
  }),
  controller: ({ controller }: Capabilities) => rpcs(controller.map((name) => ControllerServiceCapability_RPC_Type[name])),
  groupController: ({ groupController }: Capabilities) =>
    rpcs(groupController.map((name) => GroupControllerServiceCapability_RPC_Type[name])),
  node: ({ node }: Capabilities) => rpcs(node.map((name) => NodeServiceCapability_RPC_Type[name])),
};

function rpcs<T>(types: readonly T[]) {
  return { capabilities: types.map((type) => ({ type: { $case: "rpc" as const, rpc: { type } } })) };
}
