import {
  type ControllerServiceCapability_RPC_Type,
  type GroupControllerServiceCapability_RPC_Type,
  type NodeServiceCapability_RPC_Type,
  PluginCapability_Service_Type,
  type PluginCapability_VolumeExpansion_Type,
} from "../gen/csi.ts";
import type { DriverCallOptions, DriverClient } from "./driver-client.ts";

/** What the plugin as a whole can do. */
export interface PluginCapabilities {
  readonly services: ReadonlySet<PluginCapability_Service_Type>;
  readonly volumeExpansion: ReadonlySet<PluginCapability_VolumeExpansion_Type>;
}

/** Reads what the driver can do, one call each; entries of kinds that are not known here are skipped. */
export const readCapabilities = {
  async plugin(driver: DriverClient, options?: DriverCallOptions): Promise<PluginCapabilities> {
    const { capabilities } = await driver.identity.getPluginCapabilities({}, options);
    const services = capabilities.flatMap(({ type }) => (type?.$case === "service" ? [type.service.type] : []));
    const volumeExpansion = capabilities.flatMap(({ type }) => (type?.$case === "volumeExpansion" ? [type.volumeExpansion.type] : []));
    return { services: new Set(services), volumeExpansion: new Set(volumeExpansion) };
  },
  async controller(driver: DriverClient, options?: DriverCallOptions): Promise<ReadonlySet<ControllerServiceCapability_RPC_Type>> {
    return rpcTypes((await driver.controller.controllerGetCapabilities({}, options)).capabilities);
  },
  async groupController(
    driver: DriverClient,
    options?: DriverCallOptions,
  ): Promise<ReadonlySet<GroupControllerServiceCapability_RPC_Type>> {
    return rpcTypes((await driver.groupController.groupControllerGetCapabilities({}, options)).capabilities);
  },
  async node(driver: DriverClient, options?: DriverCallOptions): Promise<ReadonlySet<NodeServiceCapability_RPC_Type>> {
    return rpcTypes((await driver.node.nodeGetCapabilities({}, options)).capabilities);
  },
};

function rpcTypes<T>(
  capabilities: readonly { readonly type?: { readonly $case: "rpc"; readonly rpc: { readonly type: T } } | undefined }[],
): ReadonlySet<T> {
  return new Set(capabilities.flatMap(({ type }) => (type ? [type.rpc.type] : [])));
}

type Reader = typeof readCapabilities;

/** The same reads, each asked once per connection however many ask. Nothing is asked of a service that the plugin does not have. */
export type DriverCapabilities = { readonly [K in keyof Reader]: (options?: DriverCallOptions) => ReturnType<Reader[K]> };

type Read<T> = (driver: DriverClient, options?: DriverCallOptions) => Promise<T>;

/**
 * Capabilities that are remembered as long as the connection lasts: a driver that was restarted may be another version. A read
 * that failed is not remembered; readers that come while one is under way share its answer, so a caller's signal is not passed on.
 */
export function cachedCapabilities(driver: DriverClient, generation: () => number): DriverCapabilities {
  const once = <T>(read: Read<T>) => {
    let kept: { readonly generation: number; readonly answer: Promise<T> } | undefined;
    return ({ signal: _, ...options }: DriverCallOptions = {}): Promise<T> => {
      if (kept?.generation === generation()) return kept.answer;
      const reading = { generation: generation(), answer: read(driver, options) };
      kept = reading;
      reading.answer.catch(() => {
        if (kept === reading) kept = undefined;
      });
      return reading.answer;
    };
  };
  const plugin = once(readCapabilities.plugin);
  const ofService = <T>(service: PluginCapability_Service_Type, read: Read<ReadonlySet<T>>) =>
    once(async (_, options) => ((await plugin(options)).services.has(service) ? read(driver, options) : new Set<T>()));
  return {
    plugin,
    controller: ofService(PluginCapability_Service_Type.CONTROLLER_SERVICE, readCapabilities.controller),
    groupController: ofService(PluginCapability_Service_Type.GROUP_CONTROLLER_SERVICE, readCapabilities.groupController),
    node: once(readCapabilities.node),
  };
}
