import type { Selection } from "../client/client.ts";
import { metadataOnly, type Resource } from "../resource.ts";
import { covers, type FieldTree, readsMetadataOnly, unionOf } from "./field-tree.ts";
import type { Cached } from "./fields.ts";
import type { InformerFactoryOptions } from "./informer-factory.ts";
import type { InformerStatus } from "./informer-status.ts";
import type { Latch } from "./latch.ts";
import { projector } from "./projection.ts";
import { SharedInformer } from "./shared-informer.ts";
import { type View, type ViewSource, viewOf } from "./view.ts";
import { watcher } from "./watcher.ts";

export interface SharedCacheOptions extends InformerFactoryOptions {
  readonly name: string;
  readonly resource: Resource;
  readonly selection: Selection;
  /** The last view was closed. */
  readonly onUnused: () => void;
}

/** One informer, the views on it, and the union of what they read. */
export class SharedCache {
  readonly name: string;
  readonly #options: SharedCacheOptions;
  readonly #informer: SharedInformer<Cached>;
  readonly #unused = new AbortController();
  readonly #views = new Map<string, View<Cached>>();
  #fields: FieldTree = {};
  /** The last list that was asked for because of new fields. */
  #widest: Latch | undefined;
  #started = false;
  #viewCount = 0;

  constructor(options: SharedCacheOptions) {
    const { name, client, clock, log, resource, selection, streaming, random, freeze, onError } = options;
    this.name = name;
    this.#options = options;
    this.#informer = new SharedInformer<Cached>({
      name,
      clock,
      log,
      random,
      onError,
      events: ({ signal, since }) =>
        watcher({
          ...{ client, clock, log, selection, streaming, random, signal, since },
          resource: readsMetadataOnly(this.#fields) ? metadataOnly(resource) : resource,
          project: projector(this.#fields, { freeze }),
        }),
    });
  }

  /** Readers that declare their fields in the same turn are still in time for the first list. */
  start(signal: AbortSignal): void {
    queueMicrotask(() => {
      this.#started = true;
      this.#informer.start(AbortSignal.any([signal, this.#unused.signal]));
    });
  }

  view<P extends Cached>(fields: FieldTree): View<P> {
    const complete = this.#keep(fields);
    const informer = this.#informer;
    const id = `${this.#viewCount++}`;
    const source: ViewSource = {
      store: informer.store,
      addIndex: informer.addIndex.bind(informer),
      removeIndex: informer.removeIndex.bind(informer),
      addHandler: (handler, options) => informer.addHandler(handler, { ...options, after: complete }),
      hasSynced: () => complete?.isOpen ?? informer.hasSynced(),
      waitForSync: (signal) => complete?.wait(signal) ?? informer.waitForSync(signal),
      lastResourceVersion: () => informer.lastResourceVersion(),
    };
    const view = viewOf<P>(source, id, () => this.#close(id));
    this.#views.set(id, view);
    return view;
  }

  hasSynced(): boolean {
    return this.#views.values().every((view) => view.hasSynced());
  }

  async waitForSync(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#views.values().map((view) => view.waitForSync(signal)));
  }

  status(): InformerStatus {
    return this.#informer.status();
  }

  /** Returns the list after which these fields are there; `undefined` for the first. */
  #keep(fields: FieldTree): Latch | undefined {
    if (!covers(this.#fields, fields)) {
      this.#fields = unionOf([this.#fields, fields]);
      if (this.#started) this.#widest = this.#informer.relist();
    }
    return this.#widest;
  }

  #close(id: string): void {
    if (!this.#views.delete(id) || this.#views.size > 0) return;
    this.#unused.abort();
    this.#options.onUnused();
  }
}
