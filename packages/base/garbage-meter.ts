import { type Collect, collectGarbage } from "./collect-garbage.ts";

const bytesBetweenCollections = 500_000;
const quietMs = 20_000;
/** A second burst within this time finds the code of the first compiled. */
const longQuietMs = 45_000;
/** Of some hundred volumes that come or go: after less, compiling again would cost more than it gives back. */
const bytesWorthDroppingCode = 5_000_000;

/** Calls `then` after some time, unless it is canceled. It keeps no process alive. */
type Later = (ms: number, then: () => void) => { cancel(): void };

/**
 * Runs the garbage collector by what a process reads, since what it reads it parses, and most of that it throws away. The runtime lets its
 * heap double before it looks for garbage; looking often costs next to nothing, because what is young and dead is not visited. What is
 * alive then counts as old, so it looks when what was read has been worked off. When nothing was read for a while it looks thoroughly,
 * once, and later gives up compiled code too: after much work that is a third of the heap.
 */
export class GarbageMeter {
  readonly #collect: Collect;
  readonly #later: Later;
  #bytes = 0;
  #bytesSinceCompiled = 0;
  #quiet: readonly ReturnType<Later>[] = [];

  constructor(collect: Collect = collectGarbage, later: Later = onTimer) {
    this.#collect = collect;
    this.#later = later;
  }

  bytesRead(count: number): void {
    this.#bytes += count;
    if (this.#bytes < bytesBetweenCollections) return;
    this.#bytesSinceCompiled += this.#bytes;
    this.#bytes = 0;
    this.#later(0, () => this.#collect("soon"));
    for (const timer of this.#quiet) timer.cancel();
    this.#quiet = [this.#later(quietMs, () => this.#collect("thorough")), this.#later(longQuietMs, () => this.#giveUpCode())];
  }

  #giveUpCode(): void {
    if (this.#bytesSinceCompiled < bytesWorthDroppingCode) return;
    this.#bytesSinceCompiled = 0;
    this.#collect("with code");
  }
}

const onTimer: Later = (ms, then) => {
  const timer = setTimeout(then, ms);
  timer.unref();
  return { cancel: () => clearTimeout(timer) };
};

/** That of all connections of this process. */
export const garbageMeter = new GarbageMeter();
