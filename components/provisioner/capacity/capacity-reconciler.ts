import type { Logger } from "@csi-sidecars/base";
import { done, type Reconcile, type ReconcileResult, requeueAfter } from "@csi-sidecars/controller";
import type { GetCapacityRequest, GetCapacityResponse } from "@csi-sidecars/csi";
import { Code, GrpcError } from "@csi-sidecars/csi";
import type { Handler, Priority, RateLimitingQueue } from "@csi-sidecars/kube";
import { segmentsOf } from "../topology/term.ts";
import { affectedItems, type ItemGroups, itemGroups, type VolumeChange } from "./affected-items.ts";
import type { CapacityObject } from "./capacity-object.ts";
import type { CapacityStore } from "./capacity-store.ts";
import type { Owner } from "./owner.ts";
import { type Capacity, capacityOf, keepOldest, patchFor, publishes } from "./plan-capacity.ts";
import type { DesiredItem } from "./work-items.ts";
import { keyOfObject, type WorkItemKey } from "./work-items.ts";

export interface CapacityReconcilerOptions {
  readonly queue: RateLimitingQueue<WorkItemKey>;
  readonly store: CapacityStore;
  readonly owner: Owner | undefined;
  /** What is to be published now; the same map as long as it is the same. */
  readonly desiredItems: () => ReadonlyMap<WorkItemKey, DesiredItem>;
  readonly getCapacity: (request: GetCapacityRequest, signal: AbortSignal) => Promise<GetCapacityResponse>;
  readonly log: Logger;
}

/** Anything but `written`: retried when the cache shows more. */
type Written = "written" | "elsewhere" | "outdated";

/** How long an object that somebody else wrote may take to show in the cache. */
const cacheLagMs = 1_000;

/**
 * Keeps one object for each desired item and none for any other. An item is reconciled when something about it changed; the driver is asked
 * only for items that are due: new ones, those whose volumes changed, those whose object somebody changed, and all of them at every poll.
 */
export class CapacityReconciler {
  readonly #options: CapacityReconcilerOptions;
  readonly #due = new Set<WorkItemKey>();
  readonly #writing = new Set<WorkItemKey>();
  /** The capacities that the objects should have. */
  readonly #answers = new Map<WorkItemKey, Capacity>();
  #desired: ReadonlyMap<WorkItemKey, DesiredItem> = new Map();
  #groups: ItemGroups | undefined;
  #reportedUnimplemented = false;

  constructor(options: CapacityReconcilerOptions) {
    this.#options = options;
  }

  get desired(): ReadonlyMap<WorkItemKey, DesiredItem> {
    return this.#desired;
  }

  /** Computes what is desired now: after a change of classes or topologies. */
  updateDesired(): void {
    const before = this.#desired;
    this.#desired = this.#options.desiredItems();
    if (this.#desired === before) return;
    this.#groups = undefined;
    for (const key of before.keys()) if (!this.#desired.has(key)) this.#drop(key);
    for (const [key, { version }] of this.#desired) if (before.get(key)?.version !== version) this.refresh(key);
  }

  /** Asks the driver about all items. */
  poll(): void {
    for (const key of this.#desired.keys()) this.refresh(key, "low");
  }

  /** Refreshes the items that a volume affects; returns which of its topologies are not known. */
  volumeChanged(change: VolumeChange): readonly string[] {
    this.#groups ??= itemGroups(this.#desired);
    const { keys, skipped } = affectedItems(change, this.#groups);
    for (const key of keys) this.refresh(key);
    return skipped;
  }

  refresh(key: WorkItemKey, priority?: Priority): void {
    this.#due.add(key);
    this.#options.queue.add(key, priority);
  }

  /** Handles events about the objects; add it when the desired items are known. */
  readonly handler: Handler<CapacityObject> = {
    onAdd: (object) => this.#check(keyOfObject(object)),
    onUpdate: (_, object) => this.#check(keyOfObject(object)),
    onDelete: (object) => this.#check(keyOfObject(object)),
  };

  readonly reconcile: Reconcile<WorkItemKey> = async (key, signal) => {
    const { store } = this.#options;
    const item = this.#desired.get(key);
    const { kept, surplus } = keepOldest(store.get(key));
    const obsolete = item || !kept ? surplus : [kept, ...surplus];
    for (const object of obsolete) await store.delete(object, signal);
    if (!item || !this.#due.delete(key)) return done;
    try {
      return await this.#publish(key, item, signal);
    } catch (error) {
      this.#due.add(key);
      throw error;
    }
  };

  async #publish(key: WorkItemKey, item: DesiredItem, signal: AbortSignal): Promise<ReconcileResult> {
    const capacity = await this.#ask(item, signal);
    if (!capacity || !this.#desired.has(key)) return done;
    this.#writing.add(key);
    let outcome: Written;
    try {
      outcome = await this.#write(key, item, capacity, signal);
    } finally {
      this.#writing.delete(key);
    }
    this.#answers.set(key, capacity);
    if (outcome === "written") {
      this.#check(key);
      return done;
    }
    this.#due.add(key);
    return requeueAfter(cacheLagMs);
  }

  async #write(key: WorkItemKey, item: DesiredItem, capacity: Capacity, signal: AbortSignal): Promise<Written> {
    const { store, owner } = this.#options;
    const { kept } = keepOldest(store.get(key));
    if (!kept) return store.create(item, capacity, signal);
    const patch = patchFor(kept, capacity, owner);
    return patch ? store.patch(kept, patch, signal) : "written";
  }

  /** `undefined`: the driver cannot say. It is asked again at the next poll, in case it was replaced by one that can. */
  async #ask({ term, parameters }: DesiredItem, signal: AbortSignal): Promise<Capacity | undefined> {
    const request: GetCapacityRequest = {
      volumeCapabilities: [],
      parameters: { ...parameters },
      accessibleTopology: { segments: segmentsOf(term) },
    };
    try {
      return capacityOf(await this.#options.getCapacity(request, signal));
    } catch (error) {
      if (!(error instanceof GrpcError) || error.code !== Code.Unimplemented) throw error;
      if (!this.#reportedUnimplemented) {
        this.#reportedUnimplemented = true;
        this.#options.log.error(error, "The driver does not implement GetCapacity: no storage capacity is published");
      }
      return undefined;
    }
  }

  /** Whether the item's objects are as we left them. While we write, the watch may be faster than the response: then this is checked afterwards. */
  #check(key: WorkItemKey): void {
    const { store, queue } = this.#options;
    if (this.#writing.has(key)) return;
    const [only, ...more] = store.get(key);
    const answer = this.#answers.get(key);
    if (!this.#desired.has(key) || more.length > 0) queue.add(key);
    else if (!only || (answer && !publishes(only, answer))) this.refresh(key);
  }

  #drop(key: WorkItemKey): void {
    this.#due.delete(key);
    this.#answers.delete(key);
    this.#options.queue.add(key);
  }
}
