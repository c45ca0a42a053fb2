import type { Logger } from "@csi-sidecars/base";
import type { GetCapacityRequest, GetCapacityResponse } from "@csi-sidecars/csi";
import { Code, GrpcError } from "@csi-sidecars/csi";
import { type Handler, type Priority, type RateLimitingQueue, type Reconcile, type Requeue, requeueAfter } from "@csi-sidecars/kube";
import { segmentsOf } from "../topology/term.ts";
import type { CapacityObject } from "./capacity-object.ts";
import type { CapacityStore } from "./capacity-store.ts";
import type { DesiredPair } from "./desired-pairs.ts";
import { keepOne } from "./keep-one.ts";
import type { Owner } from "./owner.ts";
import { keyOfObject, type PairKey } from "./pair.ts";
import { type Capacity, capacityOf, patchFor, publishes } from "./plan-write.ts";

export interface CapacityControllerOptions {
  readonly queue: RateLimitingQueue<PairKey>;
  readonly store: CapacityStore;
  readonly owner: Owner | undefined;
  /** What is to be published now. */
  readonly desire: () => ReadonlyMap<PairKey, DesiredPair>;
  readonly getCapacity: (request: GetCapacityRequest, signal: AbortSignal) => Promise<GetCapacityResponse>;
  readonly log: Logger;
}

/** How long an object that was just created, or written by somebody else meanwhile, may take to show in the cache. */
const cacheLagMs = 1_000;

/**
 * Keeps one object for each desired pair and none for any other. A pair is looked at when something about it changed; the driver is asked
 * only for pairs that are due: new ones, those whose volumes changed, those whose object somebody changed, and all of them at every poll.
 */
export class CapacityController {
  readonly #options: CapacityControllerOptions;
  readonly #due = new Set<PairKey>();
  readonly #answers = new Map<PairKey, Capacity>();
  #desired: ReadonlyMap<PairKey, DesiredPair> = new Map();
  #toldUnimplemented = false;

  constructor(options: CapacityControllerOptions) {
    this.#options = options;
  }

  get desired(): ReadonlyMap<PairKey, DesiredPair> {
    return this.#desired;
  }

  /** Finds out what is desired now: after a change of classes or places. */
  redesire(): void {
    const before = this.#desired;
    this.#desired = this.#options.desire();
    for (const key of before.keys()) if (!this.#desired.has(key)) this.#drop(key);
    for (const [key, { version }] of this.#desired) if (before.get(key)?.version !== version) this.refresh(key);
  }

  /** Asks the driver about all pairs. */
  poll(): void {
    for (const key of this.#desired.keys()) this.refresh(key, "low");
  }

  /** Asks the driver about the pairs for which this is true. */
  refreshWhere(wanted: (pair: DesiredPair) => boolean): void {
    for (const [key, pair] of this.#desired) if (wanted(pair)) this.refresh(key);
  }

  refresh(key: PairKey, priority?: Priority): void {
    this.#due.add(key);
    this.#options.queue.add(key, priority);
  }

  /** What the objects' watch says; to be registered when the desired pairs are known. */
  readonly handler: Handler<CapacityObject> = {
    onAdd: (object) => this.#changed(object),
    onUpdate: (_, object) => this.#changed(object),
    onDelete: (object) => this.#changed(object),
  };

  readonly reconcile: Reconcile<PairKey> = async (key, signal) => {
    const { store } = this.#options;
    const pair = this.#desired.get(key);
    const { kept, surplus } = keepOne(store.of(key));
    const obsolete = pair || !kept ? surplus : [kept, ...surplus];
    for (const object of obsolete) await store.delete(object, signal);
    if (!pair || !this.#due.delete(key)) return;
    try {
      return await this.#publish(key, pair, signal);
    } catch (error) {
      this.#due.add(key);
      throw error;
    }
  };

  async #publish(key: PairKey, pair: DesiredPair, signal: AbortSignal): Promise<Requeue | undefined> {
    const { store, owner } = this.#options;
    const capacity = await this.#ask(pair, signal);
    if (!capacity || this.#desired.get(key) === undefined) return undefined;
    this.#answers.set(key, capacity);
    const { kept } = keepOne(store.of(key));
    if (!kept) {
      if (!store.isExpected(key)) {
        await store.create(pair, capacity, signal);
        return undefined;
      }
      store.expectNoMore(key);
      return this.#later(key);
    }
    const patch = patchFor(kept, capacity, owner);
    if (!patch) return undefined;
    return (await store.patch(kept, patch, signal)) === "outdated" ? this.#later(key) : undefined;
  }

  /** `undefined`: the driver cannot say. It is asked again at the next poll, in case it was replaced by one that can. */
  async #ask({ term, parameters }: DesiredPair, signal: AbortSignal): Promise<Capacity | undefined> {
    const request: GetCapacityRequest = {
      volumeCapabilities: [],
      parameters: { ...parameters },
      accessibleTopology: { segments: segmentsOf(term) },
    };
    try {
      return capacityOf(await this.#options.getCapacity(request, signal));
    } catch (error) {
      if (!(error instanceof GrpcError) || error.code !== Code.Unimplemented) throw error;
      if (!this.#toldUnimplemented) {
        this.#toldUnimplemented = true;
        this.#options.log.error(error, "The driver does not implement GetCapacity: no storage capacity is published");
      }
      return undefined;
    }
  }

  #later(key: PairKey): Requeue {
    this.#due.add(key);
    return requeueAfter(cacheLagMs);
  }

  #changed(object: CapacityObject): void {
    const { store, queue } = this.#options;
    store.seen(object);
    const key = keyOfObject(object);
    const [only, ...more] = store.of(key);
    const answer = this.#answers.get(key);
    if (!this.#desired.has(key) || more.length > 0) queue.add(key);
    else if (!only || (answer && !publishes(only, answer))) this.refresh(key);
  }

  #drop(key: PairKey): void {
    this.#due.delete(key);
    this.#answers.delete(key);
    this.#options.store.expectNoMore(key);
    this.#options.queue.add(key);
  }
}
