import type { FaultAction, FaultRule } from "@csi-sidecars/hostpath";
import type { Relay } from "@csi-sidecars/testcluster";
import type { HostpathControl, OurDriver } from "../driver/driver.ts";

/** Something that the playground can let go wrong, and well again. */
export interface Fault {
  /** The key that begins and ends it. */
  readonly key: string;
  readonly name: string;
  /** What it is like while it lasts. */
  readonly effect: string;
  isActive(): Promise<boolean>;
  begin(): Promise<void>;
  end(): Promise<void>;
}

export interface FaultTargets {
  /** Between the shipped programs and the API server. */
  readonly apiServer: Relay;
  /** The driver, where its process is ours. */
  readonly hostpath?: OurDriver;
  /** Between csi-sidecars and the user's own driver. */
  readonly ownDriver?: Relay;
}

/** Of these targets; one that is cut is not cut again. */
export function faultsOf({ apiServer, hostpath, ownDriver }: FaultTargets): readonly Fault[] {
  return [
    ...(hostpath ? faultsOfHostpath(hostpath) : []),
    ...(ownDriver ? [hung(ownDriver), cutOff("x", "driver cut off", "csi-sidecars cannot connect to the driver", ownDriver)] : []),
    cutOff("a", "API server cut off", "the programs cannot connect to the API server; this view and kubectl can", apiServer),
  ];
}

function faultsOfHostpath({ process, control }: OurDriver): readonly Fault[] {
  return [
    withRules(control, { key: "w", name: "driver slow", effect: "each call takes 5 s", action: { delayMs: 5_000 } }),
    withRules(control, {
      ...{ key: "f", name: "driver refusing", effect: "each call is answered with an error" },
      action: { error: { code: "Internal", message: "refused by the playground" } },
    }),
    {
      ...{ key: "x", name: "driver dead", effect: "it does not run" },
      isActive: async () => !process.wanted,
      begin: () => process.stop("SIGKILL"),
      end: async () => process.start(),
    },
  ];
}

/** What a driver says about itself is not affected: it is alive, and its storage ails. */
const spared = ["GetPluginInfo", "GetPluginCapabilities", "Probe", "ControllerGetCapabilities", "GroupControllerGetCapabilities"];
const sparedOnNodes = ["NodeGetCapabilities", "NodeGetInfo"];

/** By rules of the hostpath driver, which forgets them when it is killed. */
function withRules(
  control: HostpathControl,
  { action, ...fault }: Pick<Fault, "key" | "name" | "effect"> & { readonly action: FaultAction },
): Fault {
  const rules: readonly FaultRule[] = [
    ...[...spared, ...sparedOnNodes].map((method) => ({ method, action: {} })),
    { name: fault.name, method: "*", action },
  ];
  const keepConditions = async (more: readonly FaultRule[]) =>
    control.setRules([...(await control.rules()).filter((rule) => "condition" in rule), ...more]);
  return {
    ...fault,
    isActive: async () => (await control.rules()).some((rule) => "method" in rule && rule.name === fault.name),
    begin: () => keepConditions(rules),
    end: () => keepConditions([]),
  };
}

function cutOff(key: string, name: string, effect: string, relay: Relay): Fault {
  let active = false;
  return {
    ...{ key, name, effect },
    isActive: async () => active,
    async begin() {
      active = true;
      await relay.close();
    },
    async end() {
      await relay.open();
      active = false;
    },
  };
}

function hung(relay: Relay): Fault {
  let active = false;
  return {
    ...{ key: "w", name: "driver hung", effect: "no call of csi-sidecars is answered" },
    isActive: async () => active,
    async begin() {
      active = true;
      relay.freeze();
    },
    async end() {
      relay.thaw();
      active = false;
    },
  };
}

/** The faults that are active. A driver that does not answer has none but its own death. */
export async function activeFaults(faults: readonly Fault[]): Promise<readonly Fault[]> {
  const active = await Promise.all(faults.map((fault) => fault.isActive().catch(() => false)));
  return faults.filter((_, i) => active[i]);
}

/** Begins a fault or ends it; what has become of it. */
export async function toggle(fault: Fault): Promise<string> {
  const active = await fault.isActive();
  await (active ? fault.end() : fault.begin());
  return active ? `${fault.name}: over` : `${fault.name}: ${fault.effect}, until ${fault.key} again`;
}
