import {
  ControllerServiceCapability_RPC_Type as ControllerRpc,
  type DriverCapabilities,
  type DriverClient,
  PluginCapability_VolumeExpansion_Type as Expansion,
  GroupControllerServiceCapability_RPC_Type as GroupRpc,
  NodeServiceCapability_RPC_Type as NodeRpc,
  probe,
  PluginCapability_Service_Type as Service,
} from "@csi-sidecars/csi";

export type CapabilityKind = keyof DriverCapabilities;

/** What the driver says about itself. */
export interface DriverInfo {
  readonly name: string;
  /** Where it was asked for. */
  readonly version?: string;
  /** What its probe says, where it was asked. */
  readonly ready?: boolean;
  readonly capabilities: Readonly<Partial<Record<CapabilityKind, readonly string[]>>>;
}

/** A driver that was reached. */
export interface DriverAccess {
  /** The service to ask for name, version and readiness, or the name where it is known already. */
  readonly identity: DriverClient["identity"] | { readonly name: string };
  readonly capabilities: DriverCapabilities;
  /** The capabilities to ask for; all by default. */
  readonly kinds?: readonly CapabilityKind[];
}

const allKinds: readonly CapabilityKind[] = ["plugin", "controller", "groupController", "node"];

export async function inspectDriver(driver: DriverAccess, signal: AbortSignal, timeoutMs: number): Promise<DriverInfo> {
  const call = { signal, timeoutMs };
  const who = "probe" in driver.identity ? await nameAndReadiness(driver.identity, call) : { name: driver.identity.name };
  const lists = await Promise.all(
    (driver.kinds ?? allKinds).map(async (kind) => [kind, await capabilityNames(driver, kind, timeoutMs)] as const),
  );
  return { ...who, capabilities: Object.fromEntries(lists.filter(([, names]) => names !== undefined)) };
}

async function nameAndReadiness(identity: DriverClient["identity"], call: { readonly signal: AbortSignal; readonly timeoutMs: number }) {
  const { name, vendorVersion: version } = await identity.getPluginInfo({}, call);
  return { name, version, ready: await probe({ identity }, call) };
}

/** `undefined` where the driver does not answer, as one without a node service. */
async function capabilityNames(driver: DriverAccess, kind: CapabilityKind, timeoutMs: number): Promise<readonly string[] | undefined> {
  const { capabilities } = driver;
  const call = { timeoutMs };
  try {
    switch (kind) {
      case "plugin": {
        const { services, volumeExpansion } = await capabilities.plugin(call);
        return [...namesIn(Service, services), ...namesIn(Expansion, volumeExpansion).map((name) => `${name}_EXPANSION`)];
      }
      case "controller":
        return namesIn(ControllerRpc, await capabilities.controller(call));
      case "groupController":
        return namesIn(GroupRpc, await capabilities.groupController(call));
      case "node":
        return namesIn(NodeRpc, await capabilities.node(call));
    }
  } catch {
    return undefined;
  }
}

/** Capabilities newer than this program are shown as numbers. */
function namesIn(table: object, values: Iterable<number>): readonly string[] {
  const names = new Map(Object.entries(table).map(([name, value]) => [value, name]));
  return [...values].map((value) => names.get(value) ?? String(value));
}
