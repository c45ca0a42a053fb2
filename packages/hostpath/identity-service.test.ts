import { describe, expect, test } from "bun:test";
import {
  ControllerServiceCapability_RPC_Type as ControllerRpc,
  PluginCapability_VolumeExpansion_Type as Expansion,
  NodeServiceCapability_RPC_Type as NodeRpc,
  PluginCapability_Service_Type as Service,
} from "@csi-sidecars/csi";
import type { HostpathOptions } from "./settings.ts";
import { outcome, startWorld, type World } from "./testing/driver-world.ts";

const nameOf = (names: Readonly<Record<string, number>>, value: number | undefined) =>
  Object.keys(names).find((name) => names[name] === value) ?? `${value}`;

async function advertised({ client }: World): Promise<string[]> {
  const plugin = (await client.identity.getPluginCapabilities({})).capabilities.map(({ type }) =>
    type?.$case === "service" ? nameOf(Service, type.service.type) : `expansion ${nameOf(Expansion, type?.volumeExpansion.type)}`,
  );
  const controller = (await client.controller.controllerGetCapabilities({})).capabilities.map(
    ({ type }) => `controller ${nameOf(ControllerRpc, type?.rpc.type)}`,
  );
  const node = (await client.node.nodeGetCapabilities({})).capabilities.map(({ type }) => `node ${nameOf(NodeRpc, type?.rpc.type)}`);
  return [...plugin, ...controller, ...node];
}

const usual = [
  "CONTROLLER_SERVICE",
  "GROUP_CONTROLLER_SERVICE",
  "VOLUME_ACCESSIBILITY_CONSTRAINTS",
  ...[
    "CREATE_DELETE_VOLUME",
    "GET_VOLUME",
    "GET_CAPACITY",
    "CREATE_DELETE_SNAPSHOT",
    "LIST_SNAPSHOTS",
    "GET_SNAPSHOT",
    "LIST_VOLUMES",
    "CLONE_VOLUME",
    "VOLUME_CONDITION",
    "SINGLE_NODE_MULTI_WRITER",
    "EXPAND_VOLUME",
  ].map((name) => `controller ${name}`),
  ...["STAGE_UNSTAGE_VOLUME", "VOLUME_CONDITION", "GET_VOLUME_STATS", "SINGLE_NODE_MULTI_WRITER", "EXPAND_VOLUME"].map(
    (name) => `node ${name}`,
  ),
];

describe("capabilities", () => {
  test.each<[string, Partial<HostpathOptions>, readonly string[], readonly string[]]>([
    ["as it comes", {}, [], []],
    ["attach", { attach: true }, ["controller PUBLISH_UNPUBLISH_VOLUME"], []],
    [
      "attach with all that belongs to it",
      { attach: true, publishReadonly: true, publishedNodes: true },
      ["controller PUBLISH_UNPUBLISH_VOLUME", "controller PUBLISH_READONLY", "controller LIST_VOLUMES_PUBLISHED_NODES"],
      [],
    ],
    ["what belongs to attach, without attach", { publishReadonly: true, publishedNodes: true }, [], []],
    ["no topology", { topology: false }, [], ["VOLUME_ACCESSIBILITY_CONSTRAINTS"]],
    ["no groups", { groupSnapshots: false }, [], ["GROUP_CONTROLLER_SERVICE"]],
    ["snapshot metadata", { snapshotMetadata: true }, ["SNAPSHOT_METADATA_SERVICE"], []],
    ["online expansion", { expansionMode: "online" }, ["expansion ONLINE"], []],
    ["offline expansion", { expansionMode: "offline" }, ["expansion OFFLINE"], []],
    ["no expansion", { expansion: false }, [], ["controller EXPAND_VOLUME", "node EXPAND_VOLUME"]],
    ["no expansion by the controller", { controllerExpansion: false }, [], ["controller EXPAND_VOLUME"]],
    ["no expansion by the node", { nodeExpansion: false }, [], ["node EXPAND_VOLUME"]],
    ["modification", { modify: true }, ["controller MODIFY_VOLUME"], []],
    ["no lists of snapshots", { listSnapshots: false }, [], ["controller LIST_SNAPSHOTS"]],
    ["no conditions", { volumeCondition: false }, [], ["controller VOLUME_CONDITION", "node VOLUME_CONDITION"]],
    ["no single volumes", { getVolume: false }, [], ["controller GET_VOLUME"]],
    [
      "no lists of volumes, nor of where they are",
      { listVolumes: false, attach: true, publishedNodes: true },
      ["controller PUBLISH_UNPUBLISH_VOLUME"],
      ["controller LIST_VOLUMES"],
    ],
    [
      "health",
      { volumeHealth: true },
      ["controller GET_VOLUME_HEALTH", "controller LIST_VOLUME_HEALTH", "node GET_VOLUME_HEALTH", "node GET_STORAGE_HEALTH"],
      [],
    ],
    ["topology of snapshots", { snapshotTopology: true }, ["SNAPSHOT_ACCESSIBILITY_CONSTRAINTS"], []],
    ["topology of snapshots, without topology", { snapshotTopology: true, topology: false }, [], ["VOLUME_ACCESSIBILITY_CONSTRAINTS"]],
    ["mount groups", { volumeMountGroup: true }, ["node VOLUME_MOUNT_GROUP"], []],
    ["ephemeral only", { ephemeral: true }, [], usual.filter((name) => name.startsWith("controller "))],
  ])("%s", async (_, options, more, less) => {
    await using world = await startWorld(options);
    expect((await advertised(world)).sort()).toEqual([...usual.filter((name) => !less.includes(name)), ...more].sort());
  });

  test("can be changed while the driver runs", async () => {
    await using world = await startWorld({ backend: "memory" });
    world.driver.script.capabilities.set({ attach: true, listSnapshots: false });
    expect(await advertised(world)).toContain("controller PUBLISH_UNPUBLISH_VOLUME");
    expect(await outcome(world.client.controller.listSnapshots({}))).toStartWith("Unimplemented");
  });
});

test("the plugin says who it is", async () => {
  await using world = await startWorld({ backend: "memory", vendorVersion: "v9" });
  expect(await world.client.identity.getPluginInfo({})).toEqual({ name: "hostpath.csi.k8s.io", vendorVersion: "v9", manifest: {} });
  await world.restart("stop", { vendorVersion: "" });
  expect(await outcome(world.client.identity.getPluginInfo({}))).toBe("Unavailable: Driver is missing version");
});

test.each([
  [{ nodeId: "" }, "no node id provided: set --nodeid"],
  [{ driverName: "" }, "no driver name provided: set --drivername"],
  [{ endpoint: "tcp://nowhere" }, 'endpoint "tcp://nowhere": use tcp://host:port'],
])("a driver with %p does not start", async (options, expected) => {
  expect(await startWorld(options).then(() => "started", String)).toContain(expected);
});
