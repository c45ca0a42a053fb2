import type { Clock } from "@csi-sidecars/base";
import {
  ChangingAvailability,
  Code,
  type DriverCallOptions,
  type DriverCapabilities,
  type DriverClient,
  GrpcError,
} from "@csi-sidecars/csi";
import { ChangeSignal, firstOf } from "../signals.ts";
import { KnownCapabilities } from "./known-capabilities.ts";

export interface DriverCallsOptions {
  readonly address: string;
  /** Time limit of the calls that ask for capabilities. */
  readonly identityTimeoutMs: number;
  readonly clock: Clock;
}

/** A driver that was reached. */
interface ReachedDriver {
  readonly client: DriverClient;
  readonly capabilities: DriverCapabilities;
}

const lostReadPauseMs = 100;

/** How the components of a process call its driver, and wait for one that is away. */
export class DriverCalls {
  /** Whether the driver is there, and known to be the one that the components work with. */
  readonly availability = new ChangingAvailability();
  /** What the components rely on. */
  readonly known = new KnownCapabilities();
  readonly #options: DriverCallsOptions;
  readonly #changes = new ChangeSignal();
  #driver: ReachedDriver | undefined;

  constructor(options: DriverCallsOptions) {
    this.#options = options;
    this.availability.subscribe(() => this.#changes.changed());
  }

  /** The driver, from the first connection on. */
  get driver(): ReachedDriver | undefined {
    return this.#driver;
  }

  reached(driver: ReachedDriver): void {
    this.#driver = driver;
    this.#changes.changed();
  }

  /** The driver as soon as it was reached; fails at once if it was not, unless the call waits for it (`waitForReady`). */
  async connected(call: DriverCallOptions): Promise<DriverClient> {
    if (!this.#driver && call.waitForReady && !(await this.#waitForCall(() => this.#driver !== undefined, call)) && !call.signal?.aborted)
      throw new GrpcError(Code.DeadlineExceeded, "context deadline exceeded", { origin: "unsent" });
    return this.#reachedDriver("was not reached yet").client;
  }

  /** The driver while it is available. One that is away is waited for as long as the call may take, and at most until `ends` aborts. */
  async available(call: DriverCallOptions, ends: AbortSignal): Promise<DriverClient> {
    const usable = this.availability.available || (await this.#waitForCall(() => this.availability.available, call, ends));
    return this.#reachedDriver("is away", usable).client;
  }

  /** The driver's capabilities, each asked at most once per connection. A driver that is away is waited for, until `ends` aborts. */
  capabilities(ends: AbortSignal): DriverCapabilities {
    const ask = <K extends keyof DriverCapabilities>(kind: K): DriverCapabilities[K] =>
      ((call?: DriverCallOptions) => this.#readCapabilities(kind, call ?? {}, ends)) as DriverCapabilities[K];
    return { plugin: ask("plugin"), controller: ask("controller"), groupController: ask("groupController"), node: ask("node") };
  }

  async #readCapabilities(kind: keyof DriverCapabilities, call: DriverCallOptions, ends: AbortSignal) {
    const { identityTimeoutMs: timeoutMs, clock } = this.#options;
    const { signal, done } = firstOf(ends, ...(call.signal ? [call.signal] : []));
    try {
      for (;;) {
        await this.#waitFor(() => this.availability.available, signal);
        const { capabilities } = this.#reachedDriver("is away", this.availability.available);
        try {
          const answer = await capabilities[kind]({ timeoutMs, ...call });
          this.known.remember(kind, answer);
          return answer;
        } catch (error) {
          if (!isLoss(error)) throw error;
          // The call may fail a moment before the connection counts as lost.
          await clock.sleep(lostReadPauseMs, signal).catch(() => undefined);
        }
      }
    } finally {
      done();
    }
  }

  #reachedDriver(otherwise: string, usable = true): ReachedDriver {
    if (this.#driver && usable) return this.#driver;
    throw new GrpcError(Code.Unavailable, `the CSI driver at ${this.#options.address} ${otherwise}`, { origin: "unsent" });
  }

  /** Waits within the time limit of a call; `false` when that is over, or one of the signals aborted. */
  async #waitForCall(holds: () => boolean, { timeoutMs, signal }: DriverCallOptions, ...ends: AbortSignal[]): Promise<boolean> {
    const over = new AbortController();
    const timer = timeoutMs === undefined ? undefined : this.#options.clock.after(timeoutMs, () => over.abort());
    const { signal: first, done } = firstOf(over.signal, ...(signal ? [signal] : []), ...ends);
    await this.#waitFor(holds, first);
    timer?.cancel();
    done();
    return !first.aborted;
  }

  async #waitFor(holds: () => boolean, signal: AbortSignal): Promise<void> {
    while (!holds() && !signal.aborted) await this.#changes.next(signal);
  }
}

/** Whether a call failed because its connection was lost. */
function isLoss(error: unknown): boolean {
  return error instanceof GrpcError && error.code === Code.Unavailable && error.origin !== "peer";
}
