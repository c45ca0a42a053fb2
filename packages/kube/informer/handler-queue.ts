import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "@csi-sidecars/base";
import { Breather } from "./breather.ts";
import type { Delivery, Handler } from "./handler.ts";

/** A handler and what it has not been told yet, however much that is: nobody else waits for it. */
export class HandlerQueue<P> {
  readonly #handler: Handler<P>;
  readonly #breather: Breather;
  /** Calls belong to whoever added the handler, not to whoever fills the cache: a stray rejection is blamed on the right component. */
  readonly #inOwnContext = AsyncLocalStorage.snapshot();
  readonly #onError: (error: unknown) => void;
  readonly #onInitial: () => void;
  #waiting: Delivery<P>[] = [];
  #draining = false;
  #closed = false;

  constructor(
    handler: Handler<P>,
    options: { readonly clock: Clock; readonly onError: (error: unknown) => void; readonly onInitial: () => void },
  ) {
    this.#handler = handler;
    this.#breather = new Breather(options.clock);
    this.#onError = options.onError;
    this.#onInitial = options.onInitial;
  }

  push(delivery: Delivery<P>): void {
    if (this.#closed) return;
    this.#waiting.push(delivery);
    if (this.#draining) return;
    this.#draining = true;
    queueMicrotask(() => void this.#inOwnContext(() => this.#drain()));
  }

  /** Nothing more is delivered; what waits is forgotten. */
  close(): void {
    this.#closed = true;
    this.#waiting = [];
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const delivery of batch) await this.#deliver(delivery);
    }
    this.#draining = false;
  }

  async #deliver(delivery: Delivery<P>): Promise<void> {
    switch (delivery.type) {
      case "initial":
        for (const object of delivery.objects) {
          const result = this.#call(() => this.#handler.onAdd?.(object, { initial: true }));
          if (result) await result;
        }
        this.#onInitial();
        break;
      case "resync":
        for (const object of delivery.objects) {
          const result = this.#call(() => this.#handler.onUpdate?.(object, object));
          if (result) await result;
        }
        break;
      case "add":
        await this.#call(() => this.#handler.onAdd?.(delivery.object, { initial: false }));
        break;
      case "update":
        await this.#call(() => this.#handler.onUpdate?.(delivery.old, delivery.object));
        break;
      case "delete":
        await this.#call(() => this.#handler.onDelete?.(delivery.object, { finalStateUnknown: delivery.finalStateUnknown }));
        break;
    }
  }

  /** Returns a promise only where there is something to wait for, so that plain handlers run through without a pause. */
  #call(call: () => void | Promise<void>): Promise<void> | undefined {
    if (this.#closed) return undefined;
    try {
      const result = call();
      if (result instanceof Promise) return result.catch(this.#onError);
    } catch (error) {
      this.#onError(error);
    }
    return this.#breather.step();
  }
}
