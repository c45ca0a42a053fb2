import type { Exchange } from "./exchange.ts";
import type { TransportError, TransportResponse } from "./transport.ts";

/** An answer whose body is still under its exchange's deadline, and whose errors are told in the transport's words. */
export class ExchangeResponse implements TransportResponse {
  readonly #response: Response;
  readonly #exchange: Exchange;
  readonly #classify: (error: unknown) => TransportError;

  constructor(response: Response, exchange: Exchange, classify: (error: unknown) => TransportError) {
    this.#response = response;
    this.#exchange = exchange;
    this.#classify = classify;
  }

  get status(): number {
    return this.#response.status;
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined;
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

  async *chunks(): AsyncIterable<Uint8Array> {
    const reader = this.#response.body?.getReader();
    let complete = reader === undefined;
    try {
      while (reader && !complete) {
        const { done, value } = await reader.read();
        complete = done;
        if (value) yield value;
      }
    } catch (error) {
      throw this.#exchange.failure ?? this.#classify(error);
    } finally {
      if (complete) this.#exchange.finish();
      else this.#exchange.end("aborted", "reading was broken off");
    }
  }
}
