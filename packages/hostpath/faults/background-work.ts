import type { Clock, Logger } from "@csi-sidecars/base";
import { subjectOf } from "../calls/call-record.ts";
import type { ProtoView } from "../calls/proto-view.ts";
import { refuse } from "../refuse.ts";
import type { FaultAction } from "./rule.ts";

/** Work that goes on while its calls are told to come back later. */
export class BackgroundWork {
  readonly #doneAt = new Map<string, number>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Starts the work with the first call and refuses calls until its time is over; then lets the call do it again, which finds
   * it done.
   */
  pass(method: string, request: ProtoView, action: NonNullable<FaultAction["background"]>, work: () => unknown): void {
    const key = `${method} ${subjectOf(method, request) ?? ""}`;
    const doneAt = this.#doneAt.get(key);
    if (doneAt !== undefined && this.#clock.monotonic() >= doneAt) return;
    if (doneAt === undefined) {
      this.#doneAt.set(key, this.#clock.monotonic() + action.doneAfterMs);
      const done = this.#carryOut(method, work).finally(() => this.#underWay.delete(done));
      this.#underWay.add(done);
    }
    refuse(action.code ?? "DeadlineExceeded", action.message ?? `${method} is still in progress`);
  }

  /** Waits for the work under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #carryOut(method: string, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#log.error(error, "Work in the background failed", { method });
    }
  }
}
