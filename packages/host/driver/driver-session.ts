import { backoffDelays, type Clock, type Logger, messageWithCause } from "@csi-sidecars/base";
import {
  connectDriver,
  type DriverCallOptions,
  type DriverClient,
  type DriverConnection,
  getDriverName,
  type Interceptor,
  type LossDecision,
  type OperationMetrics,
  probeUntilReady,
  VolumeLists,
} from "@csi-sidecars/csi";
import { inTreeNameOf } from "@csi-sidecars/translation";
import type { DriverNeed } from "../component.ts";
import { aborted, ChangeSignal, firstOf } from "../signals.ts";
import { DriverCalls } from "./driver-calls.ts";
import { DriverPresence } from "./driver-presence.ts";
import { DriverSilence } from "./driver-silence.ts";
import { nextConnection } from "./next-connection.ts";

export interface DriverSessionOptions {
  readonly address: string;
  /** The most that any component needs to know of the driver. */
  readonly need: Exclude<DriverNeed, "none">;
  /** How long to wait for the first connection; 0 forever. */
  readonly connectTimeoutMs: number;
  /** Time limit of the calls that ask for the name and the capabilities. */
  readonly identityTimeoutMs: number;
  readonly probeTimeoutMs: number;
  /** Whether a driver that is lost ends the process; else it is waited for. */
  readonly lossPolicy: "exit" | "restart";
  /** How long a driver may be away before it is gone. */
  readonly gracePeriodMs: number;
  /** Whether a driver that does not answer with its name at the start ends the process; else, and after a loss, the call is retried. */
  readonly exitUnlessIdentified: boolean;
  /** What a lost connection means where `ready` is needed and the policy is `exit`. */
  readonly onLoss: () => LossDecision;
  readonly metrics: OperationMetrics;
  /** See {@link Interceptors.driver}. */
  readonly wrapDriver?: (driver: DriverClient) => DriverClient;
  readonly interceptors?: readonly Interceptor<DriverCallOptions>[];
  readonly maxLogLength: number;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Logger;
}

const identifyBackoff = { start: 1_000, factor: 2, cap: 30_000 };

/**
 * The one connection of a process to its driver: connects, waits until the driver is ready and asks its name. When the driver was lost it
 * does so again, and compares what it finds with what the components were told: with the same driver they go on, with one that has other
 * capabilities they start over, and one with another name ends the process.
 */
export class DriverSession {
  readonly #options: DriverSessionOptions;
  readonly #changes = new ChangeSignal();
  /** How components reach the driver. */
  readonly calls: DriverCalls;
  /** Whether it is gone. */
  readonly presence: DriverPresence;
  /** Whether it is there, and hangs. */
  readonly silence: DriverSilence;
  /** What its components share. */
  readonly volumeLists: VolumeLists;
  #name: string | undefined;
  /** Lasts as long as the driver is the same. */
  #period: AbortController | undefined;
  #losses = 0;

  constructor(options: DriverSessionOptions) {
    this.#options = options;
    this.calls = new DriverCalls(options);
    this.silence = new DriverSilence(options.clock);
    this.volumeLists = new VolumeLists(this.calls.availability);
    const { clock, gracePeriodMs } = options;
    this.presence = new DriverPresence({ availability: this.calls.availability, gracePeriodMs, clock });
    this.calls.availability.subscribe((available) => {
      if (!available) this.#losses++;
      this.#changes.changed();
    });
  }

  get address(): string {
    return this.#options.address;
  }

  get operations(): OperationMetrics {
    return this.#options.metrics;
  }

  get name(): string {
    return this.#name ?? "unknown-driver";
  }

  /** How often the driver was lost. */
  get losses(): number {
    return this.#losses;
  }

  /** Whether the driver was reached at least once. */
  get reached(): boolean {
    return this.calls.driver !== undefined;
  }

  /** Resolves with the driver's name; with `undefined` when the signal aborts first. */
  async named(signal: AbortSignal): Promise<string | undefined> {
    while (this.#name === undefined && !signal.aborted) await this.#changes.next(signal);
    return this.#name;
  }

  /**
   * Resolves when the driver was ready for the first time: with a signal that aborts when it comes back with other capabilities. A driver
   * that is merely away is still the same. `undefined` when the given signal aborts first.
   */
  async ready(signal: AbortSignal): Promise<AbortSignal | undefined> {
    while (!this.#period && !signal.aborted) await this.#changes.next(signal);
    return signal.aborted ? undefined : this.#period?.signal;
  }

  /** Stays connected until the signal aborts. Rejects where the process must end. */
  async run(signal: AbortSignal): Promise<void> {
    const { address, need, lossPolicy, onLoss, connectTimeoutMs: timeoutMs, metrics, maxLogLength, userAgent, clock, log } = this.#options;
    const interceptors = [this.silence.interceptor, ...(this.#options.interceptors ?? [])];
    const loss = lossPolicy === "exit" ? onLoss : (): LossDecision => "reconnect";
    const connecting = connectDriver({
      ...{ address, timeoutMs, metrics, maxLogLength, userAgent, interceptors, signal, clock, log },
      ...(need === "ready" && { onLoss: loss }),
    });
    const connection = await connecting.catch((error) => {
      if (signal.aborted) return undefined;
      throw new Error(`cannot connect to the CSI driver at ${address}: ${messageWithCause(error)}`, { cause: error });
    });
    if (!connection) return;
    const { driver, capabilities } = connection;
    this.calls.reached({ client: this.#options.wrapDriver?.(driver) ?? driver, capabilities });
    try {
      while (!signal.aborted) await this.#serve(connection, signal);
    } finally {
      this.presence.close();
      connection.close();
    }
  }

  /** One connection, from the moment it is up until it is lost. */
  async #serve(connection: DriverConnection, signal: AbortSignal): Promise<void> {
    const lost = await nextConnection(connection, signal);
    if (!lost) return;
    const { signal: lasts, done } = firstOf(lost, signal);
    try {
      const found = await this.#identify(connection, lasts);
      if (!found) return;
      this.#learn(found.name);
      this.#beginPeriod(found.differences);
      // It may be lost by now: this continues some turns after the driver answered, and an abort is not heard again.
      if (lasts.aborted) return;
      lasts.addEventListener("abort", () => this.calls.availability.change(false), { once: true });
      this.calls.availability.change(true);
      await aborted(lasts);
    } finally {
      done();
    }
  }

  /** Waits until the driver is ready and asks who it is, and what has changed; `undefined` when it is lost meanwhile. */
  async #identify(connection: DriverConnection, signal: AbortSignal) {
    const { need, exitUnlessIdentified, clock, log, probeTimeoutMs, identityTimeoutMs: timeoutMs } = this.#options;
    const { driver, capabilities } = connection;
    const delays = backoffDelays(identifyBackoff);
    while (!signal.aborted) {
      try {
        if (need === "ready") await probeUntilReady(driver, { timeoutMs: probeTimeoutMs, clock, log, signal });
        const name = await getDriverName(driver, { timeoutMs, signal });
        const differences = name === this.#name ? await this.calls.known.differences(capabilities, { timeoutMs }) : [];
        return signal.aborted ? undefined : { name, differences };
      } catch (error) {
        if (signal.aborted) return undefined;
        if (exitUnlessIdentified && this.#name === undefined)
          throw new Error(`cannot identify the CSI driver at ${this.address}: ${messageWithCause(error)}`, { cause: error });
        log.error(error, "Failed to identify the CSI driver, will be retried");
        await clock.sleep(delays.next().value, signal).catch(() => undefined);
      }
    }
    return undefined;
  }

  #learn(name: string): void {
    const { need, log, metrics } = this.#options;
    if (this.#name === name) return;
    if (this.#name !== undefined && need !== "unknown") {
      throw new Error(`the CSI driver at ${this.address} was ${this.#name} and is ${name} now: leases and caches are bound to its name`);
    }
    log.v(2).info("CSI driver name", { driver: name });
    metrics.setDriver(name, { migratable: need === "ready" && inTreeNameOf(name) !== undefined });
    this.#name = name;
  }

  /** Begins the time of a driver that is new, or that was lost and has other capabilities now. */
  #beginPeriod(differences: readonly string[]): void {
    const { log } = this.#options;
    const last = this.#period;
    if (last && differences.length === 0) {
      log.info("The CSI driver is back", { driver: this.name });
      return;
    }
    this.#period = new AbortController();
    if (!last) return;
    log.error(undefined, "The CSI driver is back with other capabilities, its controllers are restarted", {
      driver: this.name,
      changed: differences.join(","),
    });
    this.calls.known.forget();
    last.abort(new Error("the CSI driver came back with other capabilities"));
  }
}
