import { type Client, isAlreadyExists, isConflict, isNotFound, type Patch, type View } from "@csi-sidecars/kube";
import { type CapacityObject, type CapacityResource, driverNameLabel, managedByLabel } from "./capacity-object.ts";
import { objectName } from "./object-name.ts";
import { keyOfObject, type Pair, type PairKey, pairKey } from "./pair.ts";
import { type Capacity, type Marks, newObject } from "./plan-write.ts";

/** More names than this are not tried for one pair: somebody takes them on purpose. */
const mostNames = 5;

export interface CapacityStoreOptions {
  readonly view: View<CapacityObject>;
  /** With the bucket of its own that capacity has. */
  readonly kube: Client;
  readonly kind: CapacityResource;
  readonly marks: Marks;
}

/** The objects of one manager, by pair: read from the cache, written by the rules that keep them unique. */
export class CapacityStore {
  readonly #options: CapacityStoreOptions;
  /** Objects that were created and have not come back through the watch yet. */
  readonly #created = new Map<PairKey, string>();

  constructor(options: CapacityStoreOptions) {
    this.#options = options;
    options.view.addIndex("pair", (object) => [keyOfObject(object)]);
  }

  of(key: PairKey): readonly CapacityObject[] {
    return this.#options.view.byIndex("pair", key);
  }

  list(): readonly CapacityObject[] {
    return this.#options.view.list();
  }

  /** Whether an object is on its way into the cache: to be asked only when there is none. */
  isExpected(key: PairKey): boolean {
    return this.#created.has(key);
  }

  /** To be told of everything that the watch says. */
  seen(object: CapacityObject): void {
    const key = keyOfObject(object);
    if (this.#created.get(key) === object.metadata.uid) this.#created.delete(key);
  }

  /** The watch did not bring what was expected. */
  expectNoMore(key: PairKey): void {
    this.#created.delete(key);
  }

  async create(pair: Pair, capacity: Capacity, signal: AbortSignal): Promise<void> {
    const { kube, kind, marks } = this.#options;
    const key = pairKey(pair);
    for (let attempt = 0; attempt < mostNames; attempt++) {
      const object = newObject(objectName(marks, key, attempt), pair, capacity, marks);
      try {
        const created = await kube.create(kind, object, { signal });
        // The watch may have been faster than the answer.
        if (this.of(key).length === 0) this.#created.set(key, created.metadata?.uid ?? "");
        return;
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      if (await this.#isOurs(object.metadata?.name ?? "", signal)) return;
    }
    throw new Error(`all names for the capacity of ${key} are taken by objects that others manage`);
  }

  async patch(object: CapacityObject, patch: Patch, signal: AbortSignal): Promise<"written" | "outdated"> {
    const { kube, kind } = this.#options;
    try {
      await kube.patch(kind, object.metadata, patch, { signal });
      return "written";
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return "outdated";
      throw error;
    }
  }

  /** Deletes this very object, not one that took its name since. */
  async delete({ metadata }: CapacityObject, signal: AbortSignal): Promise<void> {
    const { kube, kind } = this.#options;
    try {
      await kube.delete(kind, metadata, { preconditions: { uid: metadata.uid }, signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  /** Whether the object that has the name is one that the cache will show, only later. */
  async #isOurs(name: string, signal: AbortSignal): Promise<boolean> {
    const { kube, kind, marks } = this.#options;
    const { namespace, driver, managedBy } = marks;
    try {
      const { metadata } = await kube.get(kind, { name, namespace }, { signal });
      return metadata?.labels?.[driverNameLabel] === driver && metadata.labels[managedByLabel] === managedBy;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }
}
