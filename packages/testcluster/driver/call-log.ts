import { News } from "../wait-for-news.ts";
import type { CallOutcome, DriverCall } from "./call.ts";
import type { Method } from "./methods.ts";

type Open<T> = { -readonly [K in keyof T]: T[K] };

/** Every call in the order of arrival, and who waits for calls to arrive. */
export class CallLog {
  readonly #calls: DriverCall[] = [];
  readonly #news = new News();

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
    this.#news.changed();
    return {
      clientGone: (goneAt) => {
        if (call.endedAt !== undefined || call.clientGoneAt !== undefined) return;
        call.clientGoneAt = goneAt;
        this.#news.changed();
      },
      end: (endedAt, outcome) => {
        call.endedAt = endedAt;
        call.outcome = outcome;
        this.#news.changed();
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
  until(what: string, condition: () => boolean, ms: number): Promise<void> {
    return this.#news.until(
      condition,
      ms,
      () => `${what}; the driver's calls: ${this.#calls.map(({ method }) => method).join(", ") || "none"}`,
    );
  }
}
