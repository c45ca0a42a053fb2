import { backoffDelays, type Clock, type Logger } from "@csi-sidecars/base";
import type { Client } from "@csi-sidecars/kube";
import type { Component, Driver } from "../component.ts";
import type { FlagTable, FlagValues } from "../flags/flag.ts";
import type { Gates } from "../gates/gates.ts";

export interface PreparationOptions {
  readonly component: Component;
  readonly flags: FlagValues<FlagTable>;
  readonly gates: Gates;
  readonly kube: Client;
  readonly clock: Clock;
  /** The component's. */
  readonly log: Logger;
  /** Whether a driver that does not tell what it can do ends the process. */
  readonly lossPolicy: "exit" | "restart";
}

export type Verdict = { readonly run: true; readonly gates: Gates } | { readonly run: false; readonly because: string };

const backoff = { start: 1_000, factor: 2, cap: 30_000 };

/** Finds out what a component can do here: once what the cluster has, and for each connection what the driver can. */
export class Preparation {
  readonly #options: PreparationOptions;
  #gates: Gates | undefined;

  constructor(options: PreparationOptions) {
    this.#options = options;
  }

  /** `undefined` when the signal aborts first. Rejects when the driver does not answer and the process is to end then. */
  async verdict(driver: Driver, signal: AbortSignal): Promise<Verdict | undefined> {
    const { component, flags, lossPolicy } = this.#options;
    this.#gates ??= await this.#retried(signal, "Could not find out what the cluster has", () => this.#readGates(signal));
    const gates = this.#gates;
    if (!gates || signal.aborted) return undefined;
    const ask = async (): Promise<Verdict> => {
      const because = await component.unsupported?.({ driver, flags, gates });
      return because === undefined ? { run: true, gates } : { run: false, because };
    };
    if (lossPolicy === "restart") return this.#retried(signal, "Could not find out what the driver can do", ask);
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  async #readGates(signal: AbortSignal): Promise<Gates> {
    const { component, gates, kube, log } = this.#options;
    const missing = new Set((await component.missingGates?.({ kube, gates, log, signal }))?.filter((name) => !gates.explicit(name)));
    if (missing.size === 0) return gates;
    log.info("The cluster lacks what these features need, they are switched off", { features: [...missing].join(",") });
    return { enabled: (name) => !missing.has(name) && gates.enabled(name), explicit: (name) => gates.explicit(name) };
  }

  async #retried<T>(signal: AbortSignal, problem: string, work: () => Promise<T>): Promise<T | undefined> {
    const { clock, log } = this.#options;
    const delays = backoffDelays(backoff);
    while (!signal.aborted) {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) return undefined;
        log.error(error, `${problem}, will be tried again`);
        await clock.sleep(delays.next().value, signal).catch(() => undefined);
      }
    }
    return undefined;
  }
}
