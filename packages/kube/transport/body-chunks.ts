import type { Exchange } from "./exchange.ts";
import type { PoolResponse } from "./pool.ts";
import type { TransportError } from "./transport.ts";

const end: IteratorResult<Uint8Array> = { done: true, value: undefined };

/**
 * The body as it arrives. Not a generator: one that waits for silent bytes could not be left before they come, and leaving must close the
 * connection at once.
 */
export class BodyChunks implements AsyncIterableIterator<Uint8Array> {
  readonly #body: Pick<PoolResponse, "read">;
  readonly #exchange: Exchange;
  readonly #classify: (error: unknown) => TransportError;
  #over = false;

  constructor(body: Pick<PoolResponse, "read">, exchange: Exchange, classify: (error: unknown) => TransportError) {
    this.#body = body;
    this.#exchange = exchange;
    this.#classify = classify;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#over) return end;
    try {
      const value = await this.#body.read();
      if (value) return { done: false, value };
    } catch (error) {
      if (this.#over) return end;
      this.#finish();
      throw this.#exchange.failure ?? this.#classify(error);
    }
    this.#finish();
    return end;
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    if (!this.#over) {
      this.#over = true;
      this.#exchange.end("aborted", "reading was broken off");
    }
    return end;
  }

  #finish(): void {
    this.#over = true;
    this.#exchange.finish();
  }
}
