import { setTimeout as sleep } from "node:timers/promises";

const periodMs = 100;

/** Asks a program for its health as kubelet does, again and again; remembers the longest wait for an answer. */
export class Probe implements AsyncDisposable {
  #longestMs = 0;
  #askedAt: number | undefined;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  /** Until the program listens, it is not asked. */
  constructor(url: string) {
    this.#ended = this.#ask(url);
  }

  /** Since the last call; a question that is not answered yet counts. */
  takeLongest(): number {
    const waiting = this.#askedAt === undefined ? 0 : performance.now() - this.#askedAt;
    const longest = Math.max(this.#longestMs, waiting);
    this.#longestMs = 0;
    return longest;
  }

  async #ask(url: string): Promise<void> {
    for (let answered = false; !this.#stop.signal.aborted; await sleep(periodMs)) {
      const began = performance.now();
      if (answered) this.#askedAt = began;
      const answer = await fetch(url, { signal: this.#stop.signal }).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => undefined);
      this.#askedAt = undefined;
      answered ||= answer !== undefined;
      if (answered) this.#longestMs = Math.max(this.#longestMs, performance.now() - began);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}
