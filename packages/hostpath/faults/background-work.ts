import type { Clock, Logger } from "@csi-sidecars/base";
import { subjectOf } from "../calls/call-record.ts";
import type { ProtoJson } from "../calls/proto-json.ts";
import { refuse } from "../refuse.ts";
import type { FaultAction } from "./fault-rules.ts";

/** Work that continues while its calls fail with "still in progress". */
export class BackgroundWork {
  readonly #doneAt = new Map<string, number>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Starts the work with the first call and refuses calls until its time is over; then lets a call run the work itself, which
   * finds it done.
   */
  pass(method: string, request: ProtoJson, action: NonNullable<FaultAction["background"]>, work: () => unknown): void {
    const key = `${method} ${subjectOf(method, request) ?? ""}`;
    const doneAt = this.#doneAt.get(key);
    if (doneAt !== undefined && this.#clock.monotonic() >= doneAt) return;
    if (doneAt === undefined) {
      this.#doneAt.set(key, this.#clock.monotonic() + action.doneAfterMs);
      const done = this.#carryOut(method, work).finally(() => this.#inFlight.delete(done));
      this.#inFlight.add(done);
    }
    refuse(action.code ?? "DeadlineExceeded", action.message ?? `${method} is still in progress`);
  }

  /** Waits for the work in flight. */
  async settled(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  async #carryOut(method: string, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#log.error(error, "Background work failed", { method });
    }
  }
}
