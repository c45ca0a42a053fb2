import type { Selection } from "../client/client.ts";
import type { KubeObject } from "../object.ts";
import { apiVersionOf, groupResourceOf, type Resource } from "../resource.ts";
import type { Cached, FieldSet } from "./fields/fields.ts";
import { type InformerFactoryOptions, SharedCache } from "./shared/shared-cache.ts";
import type { InformerStatus } from "./shared/shared-informer.ts";
import type { View } from "./shared/view.ts";

/** Where components get their caches: client-go's SharedInformerFactory. */
export interface Informers {
  /**
   * A typed view of a kind that caches the declared fields only. All views of one kind, namespace and selectors share one list,
   * one watch and one copy of each object; different selections share nothing. As long as no view reads more than metadata, only
   * metadata is requested from the server.
   *
   * Declare views before the start where possible. Later, a view whose fields are already cached syncs with the others; one that
   * needs more fields makes the informer list again with the wider union: the other views keep working meanwhile, the new one is
   * empty until that list is complete.
   */
  forFields<T extends KubeObject, P extends Cached>(fields: FieldSet<T, P>, selection?: Selection): View<P>;
}

export interface NamedInformerStatus extends InformerStatus {
  /** `persistentvolumes`, or with a selection `pods (namespace=kube-system)`. */
  readonly informer: string;
}

/** The informers of a process. Nothing is requested before `start`: a standby holds no watches. */
export class InformerFactory implements Informers {
  readonly #options: InformerFactoryOptions;
  readonly #caches = new Map<string, SharedCache>();
  #signal: AbortSignal | undefined;

  constructor(options: InformerFactoryOptions) {
    this.#options = options;
  }

  forFields<T extends KubeObject, P extends Cached>(fields: FieldSet<T, P>, selection: Selection = {}): View<P> {
    const id = cacheId(fields.resource, selection);
    let cache = this.#caches.get(id);
    if (!cache) {
      const name = cacheName(fields.resource, selection);
      cache = new SharedCache({ ...this.#options, name, resource: fields.resource, selection, onUnused: () => this.#caches.delete(id) });
      this.#caches.set(id, cache);
      if (this.#signal) cache.start(this.#signal);
    }
    return cache.view<P>(fields.tree);
  }

  /** Starts all informers, and each later one with its first view. Aborting the signal stops them for good. */
  start(signal: AbortSignal): void {
    if (this.#signal) throw new Error("the informers were already started");
    this.#signal = signal;
    for (const cache of this.#caches.values()) cache.start(signal);
  }

  /** Resolves when all views that exist now are synced; rejects when the signal aborts or an informer stops first. */
  async waitForSync(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#caches.values()].map((cache) => cache.waitForSync(signal)));
  }

  status(): readonly NamedInformerStatus[] {
    return [...this.#caches.values()].map((cache) => ({ informer: cache.name, ...cache.status() }));
  }

  /** The informers that have a view which is not synced. */
  waitingFor(): readonly string[] {
    return [...this.#caches.values()].filter((cache) => !cache.hasSynced()).map((cache) => cache.name);
  }
}

function cacheId(resource: Resource, selection: Selection): string {
  const { namespace, labelSelector, fieldSelector } = selection;
  return JSON.stringify([apiVersionOf(resource), resource.plural, namespace ?? "", labelSelector ?? "", fieldSelector ?? ""]);
}

function cacheName(resource: Resource, { namespace, labelSelector, fieldSelector }: Selection): string {
  const parts = Object.entries({ namespace, labels: labelSelector, fields: fieldSelector }).filter(([, value]) => value);
  const name = groupResourceOf(resource);
  return parts.length === 0 ? name : `${name} (${parts.map(([key, value]) => `${key}=${value}`).join(", ")})`;
}
