import type { Clock, Logger } from "@csi-sidecars/base";
import type { Client, Selection } from "../client/client.ts";
import type { KubeObject } from "../object.ts";
import { apiVersionOf, groupResourceOf, type Resource } from "../resource.ts";
import type { Cached, FieldSet } from "./fields.ts";
import type { InformerStatus } from "./informer-status.ts";
import { SharedCache } from "./shared-cache.ts";
import type { View } from "./view.ts";

/** Where components get their caches. */
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

export interface InformerFactoryOptions {
  readonly client: Pick<Client, "list" | "watch">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether lists are streamed; on unless told. */
  readonly streaming?: boolean;
  /** Freezes cached objects, so that tests find who changes them. */
  readonly freeze?: boolean;
  readonly random?: () => number;
  /** Is told what a handler or an index function threw, beside the log. */
  readonly onError?: (error: unknown, where: string) => void;
}

export interface NamedInformerStatus extends InformerStatus {
  /** `persistentvolumes`, or with a selection `pods (namespace=kube-system)`. */
  readonly informer: string;
}

/** The informers of a process. Before `start` nothing is asked of the server: a standby holds no watches. */
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

  /** Starts all informers, and from now on each new one with its first view. Aborting the signal stops them for good. */
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

  /** The informers some view still waits for. */
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
