import type { Clock, Permit, Timer } from "@csi-sidecars/base";
import { CanceledError } from "@csi-sidecars/kube";

/**
 * Something that only a leader may do was not done, or not waited for, because leadership was no longer certain. Not a failure of the
 * work: whoever leads next does it.
 */
class NotLeading extends CanceledError {
  override readonly name = "NotLeading";

  constructor() {
    super("leadership is no longer certain");
  }
}

/** Whether an error, or one of its causes, only means that this process must not act any more: nothing to report, nothing to retry. */
export function isNotLeading(error: unknown): boolean {
  return error instanceof NotLeading || (error instanceof Error && isNotLeading(error.cause));
}

/** The permit of those who do not lead. */
export const neverPermitted: Permit = { refusal: () => new NotLeading(), withdrawn: AbortSignal.abort(new NotLeading()) };

/** The permit of those who need no leadership. */
export function permittedUntil(end: AbortSignal): Permit {
  return { refusal: () => (end.aborted ? new NotLeading() : undefined), withdrawn: end };
}

/**
 * How often is looked whether leadership is still certain: as often as there are seconds between the moment when it no longer is and the
 * one when somebody else may lead. What is in flight has ended by then, even if nothing told that the term is over.
 */
const lookMs = 1_000;

/**
 * The permit of a leader, given as long as it is certain that nobody else acts. It is withdrawn when the term is over, and when time
 * alone has made that uncertain: the process was suspended, or a renewal hangs. One that comes through late gives it again.
 */
export class LeaderPermit implements Permit {
  readonly #mayAct: () => boolean;
  readonly #clock: Clock;
  #given = new AbortController();
  #timer: Timer;

  /** `term` aborts when the term is over, whatever `mayAct` says. */
  constructor(mayAct: () => boolean, term: AbortSignal, clock: Clock) {
    this.#mayAct = () => !term.aborted && mayAct();
    this.#clock = clock;
    this.#timer = this.#watch();
    const over = () => {
      this.#timer.cancel();
      this.#look();
    };
    term.addEventListener("abort", over, { once: true });
    if (term.aborted) over();
  }

  refusal(): Error | undefined {
    return this.#look().reason;
  }

  get withdrawn(): AbortSignal {
    return this.#look();
  }

  #look(): AbortSignal {
    const certain = this.#mayAct();
    if (!certain) this.#given.abort(new NotLeading());
    else if (this.#given.signal.aborted) this.#given = new AbortController();
    return this.#given.signal;
  }

  #watch(): Timer {
    return this.#clock.after(lookMs, () => {
      this.#look();
      this.#timer = this.#watch();
    });
  }
}
