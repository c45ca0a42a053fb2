import type { Clock, Timer } from "@csi-sidecars/base";
import type { LogLine } from "./structured-logger.ts";

interface Window {
  readonly timer: Timer;
  repeated: number;
  last?: LogLine;
}

/** How many different errors are watched at a time; beyond that every line is shown. */
const capacity = 1_000;

/**
 * Keeps a failing loop from filling the log. The first of equal error lines is shown at once; those that follow within a window
 * are counted and shown as one line with `repeated` when it ends. Two lines are equal if they have the same logger, message and
 * error and are about the same work item (`key`): no failing object hides behind another.
 */
export class RepeatedErrors {
  readonly #windows = new Map<string, Window>();
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #show: (line: LogLine) => void;

  constructor(clock: Clock, windowMs: number, show: (line: LogLine) => void) {
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.#show = show;
  }

  add(line: LogLine): void {
    const identity = `${line.logger}\n${line.message}\n${line.error}\n${workItem(line)}`;
    const window = this.#windows.get(identity);
    if (window) {
      window.repeated++;
      window.last = line;
      return;
    }
    if (this.#windows.size < capacity) this.#open(identity);
    this.#show(line);
  }

  /** Shows what was counted so far and forgets it: for the end of the process. */
  flush(): void {
    for (const window of this.#windows.values()) {
      window.timer.cancel();
      this.#summarise(window);
    }
    this.#windows.clear();
  }

  #open(identity: string): void {
    const close = () => {
      const window = this.#windows.get(identity);
      this.#windows.delete(identity);
      if (!window?.last) return;
      this.#summarise(window);
      this.#open(identity);
    };
    this.#windows.set(identity, { timer: this.#clock.after(this.#windowMs, close), repeated: 0 });
  }

  #summarise({ last, repeated }: Window): void {
    if (last) this.#show({ ...last, time: this.#clock.now(), fields: [...last.fields, { repeated }] });
  }
}

function workItem(line: LogLine): string {
  const key = line.fields.findLast((fields) => "key" in fields)?.key;
  return typeof key === "string" ? key : "";
}
