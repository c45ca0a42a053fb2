import { type Clock, messageWithCause } from "@csi-sidecars/base";
import type { Component, RbacRules } from "@csi-sidecars/host";
import { electionRules, type Support } from "@csi-sidecars/host/sub-commands";
import { askDriver, type DriverAccess } from "./ask-driver.ts";
import { askServer, type ReportClient } from "./ask-server.ts";
import { ask } from "./asked.ts";
import type { Asked, ComponentFact, DriverFacts, Facts, Need } from "./facts.ts";
import { needsOf } from "./needs.ts";

/** What could not even be asked, and why. */
export interface Unreachable {
  readonly unreachable: string;
}

export interface GatherOptions {
  readonly program: Facts["program"];
  /** The enabled components with what they must be allowed. */
  readonly components: readonly { readonly component: Component; readonly rules: RbacRules }[];
  /** The pod's. */
  readonly namespace: string;
  /** Where the lease is; absent without an election. */
  readonly leaseNamespace?: string;
  /** Absent where no component has to do with the API server. */
  readonly kube?: ReportClient | Unreachable;
  /** Absent where no component has to do with a driver. */
  readonly driver?: DriverAccess | Unreachable;
  /** Whether a component can run; without it nothing is said about that. */
  verdict?(component: Component, signal: AbortSignal): Promise<Support | undefined>;
  readonly clock: Clock;
  /** Of every single question. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

/** The name under which the needs of the election are reported. */
export const election = "leader election";

const patienceMs = 10_000;

/** Looks around: the API server, what it serves and allows, the driver, the components. Never throws, and ends in time whoever is silent. */
export async function gatherFacts(options: GatherOptions): Promise<Facts> {
  const { program, kube, driver, clock, limitMs = patienceMs, signal = new AbortController().signal } = options;
  const limits = { clock, limitMs };
  const [serverFacts, driverFact, components] = await Promise.all([
    kube === undefined
      ? { access: [] }
      : "unreachable" in kube
        ? { server: notReached(kube), access: [] }
        : askServer(kube, needsOfAll(options), limits, signal),
    driver === undefined
      ? undefined
      : "unreachable" in driver
        ? notReached(driver)
        : ask<DriverFacts>(limits, signal, (ends) => askDriver(driver, ends, limitMs)),
    Promise.all(options.components.map(({ component }) => askVerdict(component, options, limits, signal))),
  ]);
  return { program, components, ...serverFacts, ...(driverFact && { driver: driverFact }) };
}

function notReached({ unreachable }: Unreachable): Asked<never> {
  return { known: false, because: unreachable };
}

function needsOfAll({ components, namespace, leaseNamespace }: GatherOptions): readonly Need[] {
  const own = components.flatMap(({ component: { name }, rules }) => [
    ...needsOf(name, rules.cluster),
    ...needsOf(name, rules.namespaced, namespace),
  ]);
  return leaseNamespace === undefined ? own : [...own, ...needsOf(election, electionRules, leaseNamespace)];
}

async function askVerdict(
  component: Component,
  { verdict }: GatherOptions,
  limits: { readonly clock: Clock; readonly limitMs: number },
  signal: AbortSignal,
): Promise<ComponentFact> {
  const { name } = component;
  if (!verdict) return { name, runs: undefined };
  const answer = await ask(limits, signal, async (ends) => verdict(component, ends).catch(messageWithCause));
  if (!answer.known) return { name, runs: undefined, because: answer.because };
  if (typeof answer.value === "string") return { name, runs: undefined, because: answer.value };
  if (!answer.value) return { name, runs: undefined };
  return answer.value.supported ? { name, runs: true } : { name, runs: false, because: answer.value.because };
}
