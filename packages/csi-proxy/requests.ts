import { type Clock, type Fields, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import { withinDeadline } from "./call-deadline.ts";
import type { CallOptions } from "./call-options.ts";
import { KeyedLocks } from "./key-locks.ts";
import type { OperationOptions } from "./powershell/executor.ts";
import { shortError, shortFields } from "./short-texts.ts";

/** What every handler can be made with. */
export interface HandlerOptions {
  readonly log?: Logger;
  readonly clock?: Clock;
  /** Handlers that may change the same things share their locks. */
  readonly locks?: KeyedLocks;
}

/** A request as the log shows it. */
export interface RequestInfo {
  readonly method: string;
  /** The verbosity from which on it is logged: 2, or 4 for what drivers ask often. */
  readonly v: number;
  /** Never a secret. */
  readonly fields?: Fields;
}

/** How a handler answers requests: each is logged with the error it may end with, and its time limit is that of all its steps together. */
export class Requests {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #locks: KeyedLocks;

  constructor(group: string, { log = silentLogger, clock = systemClock, locks = new KeyedLocks(clock) }: HandlerOptions) {
    this.#log = log.named(group);
    this.#clock = clock;
    this.#locks = locks;
  }

  /** A request that changes nothing, or nothing that needs a lock. The work must hand its options on. */
  read<T>(request: RequestInfo, options: CallOptions = {}, work: (options: OperationOptions) => Promise<T>): Promise<T> {
    return this.#logged(request, () => withinDeadline(options, this.#clock, (signal) => work(signal ? { signal } : {})));
  }

  /**
   * A request that excludes others with the same key. The key may be a function that also checks the request. The work must hand its
   * options on: the lock outlives the call through them.
   */
  change<T>(
    request: RequestInfo,
    key: string | (() => string),
    options: CallOptions | undefined,
    work: (options: OperationOptions) => Promise<T>,
  ): Promise<T> {
    return this.#logged(request, () => this.#locks.run(typeof key === "string" ? key : key(), options, work));
  }

  async #logged<T>({ method, v, fields }: RequestInfo, work: () => Promise<T>): Promise<T> {
    const log = this.#log.v(v);
    if (log.enabled) log.info(method, shortFields(fields));
    try {
      return await work();
    } catch (error) {
      this.#log.error(shortError(error), `${method} failed`, shortFields(fields));
      throw error;
    }
  }
}
