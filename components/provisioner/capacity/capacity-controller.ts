import type { Logger } from "@csi-sidecars/base";
import type { GetCapacityRequest, GetCapacityResponse } from "@csi-sidecars/csi";
import { Code, GrpcError } from "@csi-sidecars/csi";
import {
  done,
  type Handler,
  type Priority,
  type RateLimitingQueue,
  type Reconcile,
  type ReconcileResult,
  requeueAfter,
} from "@csi-sidecars/kube";
import { segmentsOf } from "../topology/term.ts";
import type { CapacityObject } from "./capacity-object.ts";
import type { CapacityStore } from "./capacity-store.ts";
import type { DesiredPair } from "./desired-pairs.ts";
import { keepOne } from "./keep-one.ts";
import type { Owner } from "./owner.ts";
import { keyOfObject, type PairKey } from "./pair.ts";
import { type PairGroups, pairGroups } from "./pair-groups.ts";
import { type Capacity, capacityOf, patchFor, publishes } from "./plan-write.ts";
import { concernedPairs, type VolumeChange } from "./volume-change.ts";

export interface CapacityControllerOptions {
  readonly queue: RateLimitingQueue<PairKey>;
  readonly store: CapacityStore;
  readonly owner: Owner | undefined;
  /** What is to be published now; the same map as long as it is the same. */
  readonly desire: () => ReadonlyMap<PairKey, DesiredPair>;
  readonly getCapacity: (request: GetCapacityRequest, signal: AbortSignal) => Promise<GetCapacityResponse>;
  readonly log: Logger;
}

/** Anything but `written`: look again when the cache shows more. */
type Written = "written" | "elsewhere" | "outdated";

/** How long an object that somebody else wrote may take to show in the cache. */
const cacheLagMs = 1_000;

/**
 * Keeps one object for each desired pair and none for any other. A pair is looked at when something about it changed; the driver is asked
 * only for pairs that are due: new ones, those whose volumes changed, those whose object somebody changed, and all of them at every poll.
 */
export class CapacityController {
  readonly #options: CapacityControllerOptions;
  readonly #due = new Set<PairKey>();
  readonly #writing = new Set<PairKey>();
  /** What the objects should say. */
  readonly #answers = new Map<PairKey, Capacity>();
  #desired: ReadonlyMap<PairKey, DesiredPair> = new Map();
  #groups: PairGroups | undefined;
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
    if (this.#desired === before) return;
    this.#groups = undefined;
    for (const key of before.keys()) if (!this.#desired.has(key)) this.#drop(key);
    for (const [key, { version }] of this.#desired) if (before.get(key)?.version !== version) this.refresh(key);
  }

  /** Asks the driver about all pairs. */
  poll(): void {
    for (const key of this.#desired.keys()) this.refresh(key, "low");
  }

  /** Looks again where a volume came or went; answers which of its places nobody knows. */
  volumeChanged(change: VolumeChange): readonly string[] {
    this.#groups ??= pairGroups(this.#desired);
    const { keys, skipped } = concernedPairs(change, this.#groups);
    for (const key of keys) this.refresh(key);
    return skipped;
  }

  refresh(key: PairKey, priority?: Priority): void {
    this.#due.add(key);
    this.#options.queue.add(key, priority);
  }

  /** What the objects' watch says; to be registered when the desired pairs are known. */
  readonly handler: Handler<CapacityObject> = {
    onAdd: (object) => this.#look(keyOfObject(object)),
    onUpdate: (_, object) => this.#look(keyOfObject(object)),
    onDelete: (object) => this.#look(keyOfObject(object)),
  };

  readonly reconcile: Reconcile<PairKey> = async (key, signal) => {
    const { store } = this.#options;
    const pair = this.#desired.get(key);
    const { kept, surplus } = keepOne(store.of(key));
    const obsolete = pair || !kept ? surplus : [kept, ...surplus];
    for (const object of obsolete) await store.delete(object, signal);
    if (!pair || !this.#due.delete(key)) return done;
    try {
      return await this.#publish(key, pair, signal);
    } catch (error) {
      this.#due.add(key);
      throw error;
    }
  };

  async #publish(key: PairKey, pair: DesiredPair, signal: AbortSignal): Promise<ReconcileResult> {
    const capacity = await this.#ask(pair, signal);
    if (!capacity || !this.#desired.has(key)) return done;
    this.#writing.add(key);
    let outcome: Written;
    try {
      outcome = await this.#write(key, pair, capacity, signal);
    } finally {
      this.#writing.delete(key);
    }
    this.#answers.set(key, capacity);
    if (outcome === "written") {
      this.#look(key);
      return done;
    }
    this.#due.add(key);
    return requeueAfter(cacheLagMs);
  }

  async #write(key: PairKey, pair: DesiredPair, capacity: Capacity, signal: AbortSignal): Promise<Written> {
    const { store, owner } = this.#options;
    const { kept } = keepOne(store.of(key));
    if (!kept) return store.create(pair, capacity, signal);
    const patch = patchFor(kept, capacity, owner);
    return patch ? store.patch(kept, patch, signal) : "written";
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

  /** Whether the pair's objects are as we left them. While we write, the watch may be faster than the answer: then look afterwards. */
  #look(key: PairKey): void {
    const { store, queue } = this.#options;
    if (this.#writing.has(key)) return;
    const [only, ...more] = store.of(key);
    const answer = this.#answers.get(key);
    if (!this.#desired.has(key) || more.length > 0) queue.add(key);
    else if (!only || (answer && !publishes(only, answer))) this.refresh(key);
  }

  #drop(key: PairKey): void {
    this.#due.delete(key);
    this.#answers.delete(key);
    this.#options.queue.add(key);
  }
}
