import { backoffDelays, type Clock, type Logger } from "@csi-sidecars/base";
import type { Client } from "@csi-sidecars/kube";
import type { Component, Driver } from "../component.ts";
import type { FlagTable, FlagValues } from "../flags/flag.ts";
import type { Gates } from "../gates/feature-gates.ts";
import type { ServedKinds } from "../kube/served-kinds.ts";
import { unlessAborted } from "../signals.ts";

export interface ComponentSupportOptions {
  readonly component: Component;
  readonly flags: FlagValues<FlagTable>;
  readonly gates: Gates;
  readonly kube: Client;
  readonly served: ServedKinds;
  readonly clock: Clock;
  /** The component's. */
  readonly log: Logger;
  /** Whether a driver that does not answer ends the process. */
  readonly lossPolicy: "exit" | "restart";
}

/** Whether the cluster and the driver support a component: with which gates, or why not. */
export type Support = { readonly supported: true; readonly gates: Gates } | { readonly supported: false; readonly reason: string };

const backoff = { start: 1_000, factor: 2, cap: 30_000 };

/** Asks whether a component is supported: the cluster once, the driver on each connection. */
export class ComponentSupport {
  readonly #options: ComponentSupportOptions;
  #gates: Gates | undefined;

  constructor(options: ComponentSupportOptions) {
    this.#options = options;
  }

  /** `undefined` when the signal aborts first. Rejects when the driver does not answer and the process is to end then. */
  async check(driver: Driver, signal: AbortSignal): Promise<Support | undefined> {
    const { component, flags, lossPolicy } = this.#options;
    this.#gates ??= await unlessAborted(signal, this.#readGates());
    const gates = this.#gates;
    if (!gates || signal.aborted) return undefined;
    const ask = async (): Promise<Support> => {
      const reason = await component.unsupported?.({ driver, flags, gates });
      return reason === undefined ? { supported: true, gates } : { supported: false, reason };
    };
    if (lossPolicy === "restart") return this.#retried(signal, ask);
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  /** A feature is disabled only if the cluster is known to lack what it needs, as upstream's sidecars have it. */
  async #readGates(): Promise<Gates> {
    const { component, gates, kube, served, log } = this.#options;
    const missing = new Set<string>();
    for (const [name, { needs }] of Object.entries(component.gates ?? {})) {
      if (!needs || gates.explicit(name)) continue;
      try {
        if (!(await served.has(needs, kube))) missing.add(name);
      } catch (error) {
        log.error(error, "Failed to read what the cluster serves, the feature stays as it is", { feature: name });
      }
    }
    if (missing.size === 0) return gates;
    log.info("The cluster does not serve what these features need, they are disabled", { features: [...missing].join(",") });
    return { enabled: (name) => !missing.has(name) && gates.enabled(name), explicit: (name) => gates.explicit(name) };
  }

  async #retried<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
    const { clock, log } = this.#options;
    const delays = backoffDelays(backoff);
    while (!signal.aborted) {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) return undefined;
        log.error(error, "Failed to read what the driver supports, will be retried");
        await clock.sleep(delays.next().value, signal).catch(() => undefined);
      }
    }
    return undefined;
  }
}
