import { backoffDelays, type Clock, type Logger, messageWithCause } from "@csi-sidecars/base";
import {
  Code,
  connectDriver,
  type DriverCallOptions,
  type DriverCapabilities,
  type DriverClient,
  type DriverConnection,
  GrpcError,
  getDriverName,
  type LossDecision,
  type OperationMetrics,
  probeUntilReady,
} from "@csi-sidecars/csi";
import { inTreeNameOf } from "@csi-sidecars/translation";
import type { DriverNeed } from "../component.ts";
import { aborted, ChangeSignal, firstOf } from "../signals.ts";
import { type ConnectionPeriod, nextPeriod } from "./connection-period.ts";

export interface DriverSessionOptions {
  readonly address: string;
  /** The most that any component needs to know of the driver. */
  readonly need: Exclude<DriverNeed, "none">;
  /** How long to wait for the first connection; 0 forever. */
  readonly connectTimeoutMs: number;
  /** Time limit of the calls that ask for the name and the capabilities. */
  readonly identityTimeoutMs: number;
  readonly probeTimeoutMs: number;
  /** Whether a driver that is lost ends the process. */
  readonly lossPolicy: "exit" | "restart";
  /** Whether a driver that does not answer with its name at the start ends the process; else, and after a loss, the call is retried. */
  readonly exitUnlessIdentified: boolean;
  /** What a lost connection means where `ready` is needed and the policy is `exit`. */
  readonly onLoss: () => LossDecision;
  readonly metrics: OperationMetrics;
  /** See {@link Interceptors.driver}. */
  readonly wrapDriver?: (driver: DriverClient) => DriverClient;
  readonly maxLogLength: number;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Logger;
}

const identifyBackoff = { start: 1_000, factor: 2, cap: 30_000 };

/**
 * The one connection of a process to its driver: connects, waits until the driver is ready and asks its name, and does so again
 * when the driver was lost.
 */
export class DriverSession {
  readonly #options: DriverSessionOptions;
  readonly #changes = new ChangeSignal();
  #connection: DriverConnection | undefined;
  #driver: DriverClient | undefined;
  #name: string | undefined;
  #period: ConnectionPeriod | undefined;
  /** Asked at most once in a period. */
  readonly capabilities: DriverCapabilities;

  constructor(options: DriverSessionOptions) {
    this.#options = options;
    const ask = <K extends keyof DriverCapabilities>(kind: K): DriverCapabilities[K] =>
      (async (call?: DriverCallOptions) => {
        await this.connected(call ?? {});
        return this.#connection?.capabilities[kind]({ timeoutMs: options.identityTimeoutMs, ...call });
      }) as DriverCapabilities[K];
    this.capabilities = {
      plugin: ask("plugin"),
      controller: ask("controller"),
      groupController: ask("groupController"),
      node: ask("node"),
    };
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

  /** Whether the driver was reached at least once. */
  get reached(): boolean {
    return this.#connection !== undefined;
  }

  /** Resolves with the driver's name; with `undefined` when the signal aborts first. */
  async named(signal: AbortSignal): Promise<string | undefined> {
    while (this.#name === undefined && !signal.aborted) await this.#changes.next(signal);
    return this.#name;
  }

  /** Resolves with the current period, or with the next one; with `undefined` when the signal aborts first. */
  async ready(signal: AbortSignal): Promise<ConnectionPeriod | undefined> {
    while (!signal.aborted) {
      const period = this.#period;
      if (period && !period.signal.aborted) return period;
      await this.#changes.next(signal);
    }
    return undefined;
  }

  /** Stays connected until the signal aborts. Rejects where the process must end. */
  async run(signal: AbortSignal): Promise<void> {
    const { address, need, lossPolicy, onLoss, connectTimeoutMs: timeoutMs, metrics, maxLogLength, userAgent, clock, log } = this.#options;
    const loss = lossPolicy === "exit" ? onLoss : (): LossDecision => "reconnect";
    const connecting = connectDriver({
      ...{ address, timeoutMs, metrics, maxLogLength, userAgent, signal, clock, log },
      ...(need === "ready" && { onLoss: loss }),
    });
    const connection = await connecting.catch((error) => {
      if (signal.aborted) return undefined;
      throw new Error(`cannot connect to the CSI driver at ${address}: ${messageWithCause(error)}`, { cause: error });
    });
    if (!connection) return;
    this.#connection = connection;
    this.#driver = this.#options.wrapDriver?.(connection.driver) ?? connection.driver;
    this.#changes.changed();
    try {
      while (!signal.aborted) await this.#serve(connection, signal);
    } finally {
      connection.close();
    }
  }

  /** One connection, from the moment it is up until it is lost. */
  async #serve(connection: DriverConnection, signal: AbortSignal): Promise<void> {
    const period = await nextPeriod(connection, signal);
    if (!period) return;
    const { signal: lasts, done } = firstOf(period.signal, signal);
    try {
      const name = await this.#identify(connection.driver, lasts);
      if (name === undefined) return;
      this.#learn(name);
      this.#period = { generation: period.generation, signal: lasts };
      this.#changes.changed();
      await aborted(lasts);
    } finally {
      done();
    }
  }

  /** Waits until the driver is ready and asks its name; `undefined` when it is lost meanwhile. */
  async #identify(driver: DriverClient, signal: AbortSignal): Promise<string | undefined> {
    const { need, exitUnlessIdentified, clock, log, probeTimeoutMs, identityTimeoutMs } = this.#options;
    const delays = backoffDelays(identifyBackoff);
    while (!signal.aborted) {
      try {
        if (need === "ready") await probeUntilReady(driver, { timeoutMs: probeTimeoutMs, clock, log, signal });
        return await getDriverName(driver, { timeoutMs: identityTimeoutMs, signal });
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

  /** The driver as soon as it was reached; fails at once if it was not, unless the call waits for it (`waitForReady`). */
  async connected({ waitForReady = false, timeoutMs, signal }: DriverCallOptions): Promise<DriverClient> {
    if (!this.#connection && waitForReady) {
      const over = new AbortController();
      const timer = timeoutMs === undefined ? undefined : this.#options.clock.after(timeoutMs, () => over.abort());
      const { signal: ends, done } = firstOf(over.signal, ...(signal ? [signal] : []));
      while (!this.#connection && !ends.aborted) await this.#changes.next(ends);
      timer?.cancel();
      done();
      if (over.signal.aborted) throw new GrpcError(Code.DeadlineExceeded, "context deadline exceeded", { origin: "unsent" });
    }
    if (!this.#driver) throw new GrpcError(Code.Unavailable, `the CSI driver at ${this.address} was not reached yet`, { origin: "unsent" });
    return this.#driver;
  }
}
