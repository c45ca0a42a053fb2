import type { CallOutcome, DriverCall } from "./call.ts";
import type { Method } from "./methods.ts";

type Open<T> = { -readonly [K in keyof T]: T[K] };

/** Every call in the order of arrival, and who waits for calls to arrive. */
export class CallLog {
  readonly #calls: DriverCall[] = [];
  readonly #waiting = new Set<() => void>();

  /** Notes a call; returns how to note what becomes of it. */
  begin<M extends Method>(
    method: M,
    request: object,
    at: number,
  ): { clientGone(at: number): void; end(at: number, outcome: CallOutcome): void } {
    const order = this.#calls.length + 1;
    const call = {
      order,
      method,
      request,
      startedAt: at,
      endedAt: undefined,
      clientGoneAt: undefined,
      outcome: undefined,
    } as Open<DriverCall>;
    this.#calls.push(call as DriverCall);
    this.#changed();
    return {
      clientGone: (goneAt) => {
        if (call.endedAt !== undefined || call.clientGoneAt !== undefined) return;
        call.clientGoneAt = goneAt;
        this.#changed();
      },
      end: (endedAt, outcome) => {
        call.endedAt = endedAt;
        call.outcome = outcome;
        this.#changed();
      },
    };
  }

  all(): readonly DriverCall[] {
    return this.#calls;
  }

  of<M extends Method>(method: M): readonly DriverCall<M>[] {
    return this.#calls.filter(({ method: called }) => called === method) as readonly DriverCall[] as readonly DriverCall<M>[];
  }

  /** Resolves as soon as the condition holds. */
  async until(what: string, condition: () => boolean, ms: number): Promise<void> {
    const late = AbortSignal.timeout(ms);
    while (!condition()) {
      await new Promise<void>((resolve, reject) => {
        const wake = () => {
          this.#waiting.delete(wake);
          late.removeEventListener("abort", giveUp);
          resolve();
        };
        const giveUp = () => {
          this.#waiting.delete(wake);
          reject(
            new Error(
              `the driver did not see within ${ms} ms: ${what}; calls: ${this.#calls.map(({ method }) => method).join(", ") || "none"}`,
            ),
          );
        };
        this.#waiting.add(wake);
        late.addEventListener("abort", giveUp, { once: true });
      });
    }
  }

  #changed(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
