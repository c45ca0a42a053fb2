import { beginningOf, type Clock, type Timer } from "@csi-sidecars/base";
import type { LogLine } from "./structured-logger.ts";

interface Window {
  readonly timer: Timer;
  repeated: number;
  last?: LogLine;
}

/** How many different errors are watched at a time; beyond that every line is shown. */
const capacity = 1_000;
/** What is kept of the text of an error until its line is repeated: the first line has shown all of it. */
const keptLength = 4 * 1024;

/**
 * Keeps a failing loop from filling the log. The first of equal error lines is shown at once; those that follow within a window
 * are counted and shown as one line with `repeated` when it ends. Two lines are equal if they have the same logger, message and
 * error and are about the same work item (`key`): no failing object hides behind another.
 */
export class RepeatedErrors {
  /** By a hash of what makes lines equal: a driver's errors may have 64 KiB each. */
  readonly #windows = new Map<bigint, Window>();
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #show: (line: LogLine) => void;

  constructor(clock: Clock, windowMs: number, show: (line: LogLine) => void) {
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.#show = show;
  }

  add(line: LogLine): void {
    const identity = Bun.hash.wyhash(`${line.logger}\n${line.message}\n${line.error}\n${workItem(line)}`);
    const window = this.#windows.get(identity);
    if (window) {
      window.repeated++;
      window.last = shortened(line);
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

  #open(identity: bigint): void {
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

function shortened(line: LogLine): LogLine {
  const { error } = line;
  if (error === undefined || error.length <= keptLength) return line;
  return { ...line, error: `${beginningOf(error, keptLength)}... (${error.length} characters)` };
}
