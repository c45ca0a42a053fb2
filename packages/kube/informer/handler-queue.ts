import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "@csi-sidecars/base";
import type { Delivery, Handler } from "./handler.ts";

const longestTurn = 10;
const callsBetweenLooks = 128;

/** A handler and what it has not been told yet, however much that is: nobody else waits for it. */
export class HandlerQueue<P> {
  readonly #handler: Handler<P>;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #onInitial: () => void;
  #waiting: Delivery<P>[] = [];
  #draining = false;
  #closed = false;
  #calls = 0;
  #turnBegan = 0;

  constructor(
    handler: Handler<P>,
    options: { readonly clock: Clock; readonly onError: (error: unknown) => void; readonly onInitial: () => void },
  ) {
    this.#handler = handler;
    this.#clock = options.clock;
    this.#onError = options.onError;
    this.#onInitial = options.onInitial;
  }

  push(delivery: Delivery<P>): void {
    if (this.#closed) return;
    this.#waiting.push(delivery);
    if (this.#draining) return;
    this.#draining = true;
    queueMicrotask(() => void this.#drain());
  }

  /** Nothing more is delivered; what waits is forgotten. */
  close(): void {
    this.#closed = true;
    this.#waiting = [];
  }

  async #drain(): Promise<void> {
    this.#turnBegan = this.#clock.monotonic();
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
      if (result) return result.catch(this.#onError);
    } catch (error) {
      this.#onError(error);
    }
    return this.#turnIsLong() ? this.#nextTurn() : undefined;
  }

  #turnIsLong(): boolean {
    return ++this.#calls % callsBetweenLooks === 0 && this.#clock.monotonic() - this.#turnBegan > longestTurn;
  }

  async #nextTurn(): Promise<void> {
    await nextTurn();
    this.#turnBegan = this.#clock.monotonic();
  }
}
