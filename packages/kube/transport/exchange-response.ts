import { BodyChunks } from "./body-chunks.ts";
import type { Exchange } from "./exchange.ts";
import type { PoolResponse } from "./pool.ts";
import type { TransportError, TransportResponse } from "./transport.ts";

/** An answer whose body is still under its exchange's deadline, and whose errors are told in the transport's words. */
export class ExchangeResponse implements TransportResponse {
  readonly #response: PoolResponse;
  readonly #exchange: Exchange;
  readonly #classify: (error: unknown) => TransportError;

  constructor(response: PoolResponse, exchange: Exchange, classify: (error: unknown) => TransportError) {
    this.#response = response;
    this.#exchange = exchange;
    this.#classify = classify;
  }

  get status(): number {
    return this.#response.status;
  }

  header(name: string): string | undefined {
    return this.#response.header(name);
  }

  async text(): Promise<string> {
    try {
      return await this.#response.text();
    } catch (error) {
      throw this.#exchange.failure ?? this.#classify(error);
    } finally {
      this.#exchange.finish();
    }
  }

  chunks(): AsyncIterable<Uint8Array> {
    return new BodyChunks(this.#response, this.#exchange, this.#classify);
  }
}
