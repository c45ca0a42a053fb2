import { type Clock, messageWithCause } from "@csi-sidecars/base";
import type { Component, KindNeed, RbacRules } from "@csi-sidecars/host";
import { electionRules, type Support } from "@csi-sidecars/host/sub-commands";
import type { Unreachable } from "../access/connect.ts";
import { type Answer, type TimeLimit, withTimeLimit } from "../access/time-limit.ts";
import { type DriverAccess, type DriverInfo, inspectDriver } from "./inspect-driver.ts";
import { type InspectClient, inspectServer, type ServerInfo, type ServerNeeds } from "./inspect-server.ts";
import { type RequiredAccess, requiredAccess } from "./required-access.ts";

/** Whether an enabled component can run; `undefined`: not known. */
interface ComponentFinding {
  readonly name: string;
  readonly runs: boolean | undefined;
  /** Whether it talks to the API server. */
  readonly usesServer?: boolean;
  /** Whether it works in the leader only. */
  readonly elected?: boolean;
  readonly because?: string;
}

/** What was found out about the API server, the driver and the components. Parts are absent where the process has no use for them. */
export interface Findings extends Partial<Omit<ServerInfo, "access">>, Pick<ServerInfo, "access"> {
  readonly program: { readonly name: string; readonly version: string };
  readonly components: readonly ComponentFinding[];
  readonly driver?: Answer<DriverInfo>;
  /** The custom kinds that the components declare. */
  readonly kinds: readonly { readonly who: string; readonly need: KindNeed }[];
}

interface InspectOptions {
  readonly program: Findings["program"];
  /** The enabled components with the rules and the custom kinds that they need. */
  readonly components: readonly { readonly component: Component; readonly rules: RbacRules; readonly kinds: readonly KindNeed[] }[];
  /** The pod's. */
  readonly namespace: string;
  /** Where the lease is; absent without leader election. */
  readonly leaseNamespace?: string;
  /** Absent where no component talks to the API server. */
  readonly kube?: InspectClient | Unreachable;
  /** Absent where no component talks to a driver. */
  readonly driver?: DriverAccess | Unreachable;
  /** Whether a component can run; without it nothing is said about that. */
  support?(component: Component, signal: AbortSignal): Promise<Support | undefined>;
  /** Whether the definitions of custom kinds are read too: whoever the process runs as may not do that. */
  readonly readsDefinitions?: boolean;
  /** Whether it is asked whose permissions are checked: the process itself knows. */
  readonly namesUser?: boolean;
  readonly clock: Clock;
  /** Of every single call. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

/** Who needs the access of leader election, in the report. */
export const leaderElection = "leader election";

const defaultLimitMs = 10_000;

/** Inspects the API server, the driver and the components. Never rejects, and ends in time whatever does not answer. */
export async function inspect(options: InspectOptions): Promise<Findings> {
  const { program, kube, driver, clock, limitMs = defaultLimitMs, signal = new AbortController().signal } = options;
  const limits = { clock, limitMs };
  const [server, driverInfo, components] = await Promise.all([
    kube === undefined
      ? { access: [] }
      : "unreachable" in kube
        ? { server: notReached(kube), access: [] }
        : inspectServer(kube, serverNeeds(options), limits, signal),
    driver === undefined
      ? undefined
      : "unreachable" in driver
        ? notReached(driver)
        : withTimeLimit<DriverInfo>(limits, signal, (ends) => inspectDriver(driver, ends, limitMs)),
    Promise.all(options.components.map(({ component }) => inspectComponent(component, options, limits, signal))),
  ]);
  const kinds = options.components.flatMap(({ component, kinds: needs }) => needs.map((need) => ({ who: component.name, need })));
  return { program, components, kinds, ...server, ...(driverInfo && { driver: driverInfo }) };
}

function notReached({ unreachable }: Unreachable): Answer<never> {
  return { known: false, because: unreachable };
}

function serverNeeds(options: InspectOptions): ServerNeeds {
  const kinds = options.components.flatMap(({ kinds: needs }) => needs.flatMap((need) => need.kinds));
  return { access: neededAccess(options), kinds, definitions: options.readsDefinitions ? kinds : [], user: options.namesUser ?? false };
}

function neededAccess({ components, namespace, leaseNamespace }: InspectOptions): readonly RequiredAccess[] {
  const own = components.flatMap(({ component: { name }, rules }) => [
    ...requiredAccess(name, rules.cluster),
    ...requiredAccess(name, rules.namespaced, namespace),
  ]);
  return leaseNamespace === undefined ? own : [...own, ...requiredAccess(leaderElection, electionRules, leaseNamespace)];
}

async function inspectComponent(
  component: Component,
  { support }: InspectOptions,
  limits: TimeLimit,
  signal: AbortSignal,
): Promise<ComponentFinding> {
  const { name, leadership, kube: usesServer } = component;
  const who = { name, elected: leadership !== "none", usesServer };
  if (!support) return { ...who, runs: undefined };
  const answer = await withTimeLimit(limits, signal, async (ends) => support(component, ends).catch(messageWithCause));
  if (!answer.known) return { ...who, runs: undefined, because: answer.because };
  if (typeof answer.value === "string") return { ...who, runs: undefined, because: answer.value };
  if (!answer.value) return { ...who, runs: undefined };
  return answer.value.supported ? { ...who, runs: true } : { ...who, runs: false, because: answer.value.reason };
}
