import { isLaterVersion } from "@csi-sidecars/controller";
import {
  type Client,
  isAlreadyExists,
  isConflict,
  isNotFound,
  metadataOnly,
  type Patch,
  projectorFor,
  type V1CSIStorageCapacity,
  type View,
} from "@csi-sidecars/kube";
import {
  type CapacityObject,
  type CapacityResource,
  capacityFields,
  driverNameLabel,
  managedByLabel,
  type ObjectTemplate,
  objectName,
} from "./capacity-object.ts";
import { type Capacity, newObject } from "./plan-capacity.ts";
import { keyOfObject, type WorkItem, type WorkItemKey, workItemKey } from "./work-items.ts";

/** More names than this are not tried for one item: somebody takes them on purpose. */
const maxNames = 5;

export interface CapacityStoreOptions {
  readonly view: View<CapacityObject>;
  /** With a rate limit of its own. */
  readonly kube: Client;
  readonly kind: CapacityResource;
  readonly template: ObjectTemplate;
}

/** The objects of one manager, by item: read from the cache and never behind our own writes, written by the rules that keep them unique. */
export class CapacityStore {
  readonly #options: CapacityStoreOptions;
  readonly #project: (object: V1CSIStorageCapacity) => CapacityObject;
  /**
   * The objects as our last writes left them, until the watch shows that. An `AssumeCache` would not do: it holds only objects that the
   * cache has, by name, while an item whose object was just created must not get a second one.
   */
  readonly #written = new Map<WorkItemKey, CapacityObject>();

  constructor(options: CapacityStoreOptions) {
    this.#options = options;
    this.#project = projectorFor(capacityFields(options.kind));
    options.view.addIndex("item", (object) => [keyOfObject(object)]);
  }

  get(key: WorkItemKey): readonly CapacityObject[] {
    const { view } = this.#options;
    const cached = view.byIndex("item", key);
    const written = this.#written.get(key);
    if (!written) return cached;
    if (!isLaterVersion(written.metadata.resourceVersion, view.lastResourceVersion())) {
      this.#written.delete(key);
      return cached;
    }
    return [written, ...cached.filter(({ metadata }) => metadata.name !== written.metadata.name)];
  }

  /** Whether the item has an object that the cache shows. */
  isPublished(key: WorkItemKey): boolean {
    return this.#options.view.byIndex("item", key).length > 0;
  }

  /** `elsewhere`: the object is there already, only the cache does not show it yet. */
  async create(item: WorkItem, capacity: Capacity, signal: AbortSignal): Promise<"written" | "elsewhere"> {
    const { kube, kind, template } = this.#options;
    const key = workItemKey(item);
    for (let attempt = 0; attempt < maxNames; attempt++) {
      const object = newObject(objectName(template, key, attempt), item, capacity, template);
      try {
        this.#written.set(key, this.#project(await kube.create(kind, object, { signal })));
        return "written";
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      if (await this.#isOurs(object.metadata?.name ?? "", signal)) return "elsewhere";
    }
    throw new Error(`all names for the capacity of ${key} are taken by objects that others manage`);
  }

  /** `outdated`: somebody else changed the object; try again with the new one. */
  async patch(object: CapacityObject, patch: Patch, signal: AbortSignal): Promise<"written" | "outdated"> {
    const { kube, kind } = this.#options;
    try {
      this.#written.set(keyOfObject(object), this.#project(await kube.patch(kind, object.metadata, patch, { signal })));
      return "written";
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return "outdated";
      throw error;
    }
  }

  /** Deletes this very object, not one that took its name since. */
  async delete(object: CapacityObject, signal: AbortSignal): Promise<void> {
    const { kube, kind } = this.#options;
    const { metadata } = object;
    try {
      await kube.delete(kind, metadata, { preconditions: { uid: metadata.uid }, signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    const key = keyOfObject(object);
    if (this.#written.get(key)?.metadata.uid === metadata.uid) this.#written.delete(key);
  }

  /** Whether the object that has the name is one that the cache will show, only later. */
  async #isOurs(name: string, signal: AbortSignal): Promise<boolean> {
    const { kube, kind, template } = this.#options;
    const { namespace, driver, managedBy } = template;
    try {
      const { metadata } = await kube.get(metadataOnly(kind), { name, namespace }, { signal });
      return metadata?.labels?.[driverNameLabel] === driver && metadata.labels[managedByLabel] === managedBy;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }
}
