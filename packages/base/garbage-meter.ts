import { type Collect, collectGarbage } from "./collect-garbage.ts";

const bytesBetweenCollections = 500_000;
const quietMs = 20_000;

/** Calls `then` after some time, unless it is canceled. It keeps no process alive. */
type Later = (ms: number, then: () => void) => { cancel(): void };

/**
 * Runs the garbage collector by what a process reads, since what it reads it parses, and most of that it throws away. The runtime lets its
 * heap double before it looks for garbage; looking often costs next to nothing, because what is young and dead is not visited. What is
 * alive then counts as old, so it looks when what was read has been worked off. When nothing was read for a while it looks thoroughly, once.
 */
export class GarbageMeter {
  readonly #collect: Collect;
  readonly #later: Later;
  #bytes = 0;
  #quiet: ReturnType<Later> | undefined;

  constructor(collect: Collect = collectGarbage, later: Later = onTimer) {
    this.#collect = collect;
    this.#later = later;
  }

  bytesRead(count: number): void {
    this.#bytes += count;
    if (this.#bytes < bytesBetweenCollections) return;
    this.#bytes = 0;
    this.#later(0, () => this.#collect("soon"));
    this.#quiet?.cancel();
    this.#quiet = this.#later(quietMs, () => this.#collect("thorough"));
  }
}

const onTimer: Later = (ms, then) => {
  const timer = setTimeout(then, ms);
  timer.unref();
  return { cancel: () => clearTimeout(timer) };
};

/** That of all connections of this process. */
export const garbageMeter = new GarbageMeter();
