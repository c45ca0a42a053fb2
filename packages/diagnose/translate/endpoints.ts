import { canonicalFlag, individualFlags, individualValues, parseListenAddress } from "@csi-sidecars/host/sub-commands";
import { type Argument, argument, holdersOf } from "./flag-merge.ts";
import type { LegacySidecar } from "./legacy-sidecar.ts";

/** Where the sidecars were served, and where they are now. */
export interface Endpoints {
  readonly args: readonly Argument[];
  /** The address of the process's HTTP server, if it has one. */
  readonly shared?: { readonly address: string; readonly port?: number };
  /** The controllers that also have an address of their own, by name, with its port. */
  readonly own: ReadonlyMap<string, number | undefined>;
  /** The sidecars whose HTTP server is now part of another one, with its former port. */
  readonly moved: ReadonlyMap<LegacySidecar, number | undefined>;
}

/** One HTTP server in place of those of the sidecars; controllers that have one beside it keep it. */
export function mergeEndpoints(sidecars: readonly LegacySidecar[]): Endpoints {
  const served = sidecars.flatMap((sidecar) => {
    const { process } = individualFlags(sidecar.component);
    const flag = ["http-endpoint", "metrics-address"].find((name) => Object.hasOwn(process, name) && sidecar.given.get(name)?.value);
    return flag === undefined ? [] : holdersOf([sidecar], flag);
  });
  const [first] = served;
  const shared = first && { address: first.given.value, ...withPort(first.given.value) };
  const own = new Map<string, number | undefined>();
  const args = first ? [argument("http-endpoint", first)] : [];
  const moved = new Map(served.slice(1).map(({ sidecar, given }) => [sidecar, portOf(given.value)]));
  for (const sidecar of sidecars) {
    const { component, given } = sidecar;
    const values = individualValues(component, new Map([...given].map(([name, { value }]) => [name, value])));
    const explicit = (name: string) => given.has(name);
    const metrics = component.ownMetricsEndpoint?.(values);
    if (shared && metrics) moved.set(sidecar, portOf(metrics.address));
    const endpoint = component.ownEndpoint?.(values, { httpEndpoint: "", explicit });
    if (!endpoint) continue;
    own.set(component.name, portOf(endpoint.address));
    // An address that it has by default only where the process has none: a probe of the driver goes there.
    if (shared && !component.ownEndpoint?.(values, { httpEndpoint: shared.address, explicit }))
      args.push({ flag: canonicalFlag("all-in-one", component.name, "http-endpoint"), text: endpoint.address, comments: [] });
  }
  return { args, own, moved, ...(shared && { shared }) };
}

/** The port of an address as Go has it; `undefined` where the manifest does not say. */
export function portOf(address: string): number | undefined {
  try {
    return parseListenAddress(address).port;
  } catch {
    return undefined;
  }
}

function withPort(address: string): { readonly port?: number } {
  const port = portOf(address);
  return port === undefined ? {} : { port };
}

/** Whether a flag names an address for metrics alone, and the process's HTTP server serves them. */
export function isServedBy({ shared }: Endpoints, { component }: LegacySidecar, flag: string): boolean {
  return shared !== undefined && component.ownMetricsEndpoint !== undefined && flag === "metrics-address";
}

/** Whether nobody outside of the machine can connect to it. */
export function isLoopback(address: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]):/.test(address);
}

/** The port on which what a sidecar served on this one is served now. */
export function newPort({ shared, moved }: Endpoints, sidecar: LegacySidecar, port: number): number {
  return shared?.port !== undefined && moved.has(sidecar) && moved.get(sidecar) === port ? shared.port : port;
}
