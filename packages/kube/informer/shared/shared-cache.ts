import type { Clock, Logger } from "@csi-sidecars/base";
import type { Client, Selection } from "../../client/client.ts";
import { metadataOnly, type Resource } from "../../resource.ts";
import { covers, type FieldTree, readsMetadataOnly, unionOf } from "../fields/field-tree.ts";
import type { Cached } from "../fields/fields.ts";
import { projector } from "../fields/projection.ts";
import { watcher } from "../watcher/watcher.ts";
import type { Completion } from "./completion.ts";
import { type InformerStatus, SharedInformer } from "./shared-informer.ts";
import { createView, type View, type ViewSource } from "./view.ts";

/** What all informers of a process have in common. */
export interface InformerFactoryOptions {
  readonly client: Pick<Client, "list" | "watch">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether lists are streamed; default true. */
  readonly streaming?: boolean;
  /** Freezes cached objects, so that tests find code that changes them. */
  readonly freeze?: boolean;
  readonly random?: () => number;
  /** Called with what a handler or an index function threw, in addition to the log. */
  readonly onError?: (error: unknown, where: string) => void;
}

export interface SharedCacheOptions extends InformerFactoryOptions {
  readonly name: string;
  readonly resource: Resource;
  readonly selection: Selection;
  /** The last view was closed. */
  readonly onUnused: () => void;
}

/** One informer, its views, and the union of the fields they read. */
export class SharedCache {
  readonly name: string;
  readonly #options: SharedCacheOptions;
  readonly #informer: SharedInformer<Cached>;
  readonly #unused = new AbortController();
  readonly #views = new Map<string, View<Cached>>();
  #fields: FieldTree = {};
  /** The last relist that was requested because of new fields. */
  #lastRelist: Completion | undefined;
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

  /** Readers that declare their fields in the same turn of the event loop are included in the first list. */
  start(signal: AbortSignal): void {
    queueMicrotask(() => {
      this.#started = true;
      this.#informer.start(AbortSignal.any([signal, this.#unused.signal]));
    });
  }

  view<P extends Cached>(fields: FieldTree): View<P> {
    const complete = this.#addFields(fields);
    const informer = this.#informer;
    const id = `${this.#viewCount++}`;
    const source: ViewSource = {
      store: informer.store,
      addIndex: informer.addIndex.bind(informer),
      removeIndex: informer.removeIndex.bind(informer),
      addHandler: (handler, options) => informer.addHandler(handler, { ...options, after: complete }),
      hasSynced: () => complete?.isComplete ?? informer.hasSynced(),
      waitForSync: (signal) => complete?.wait(signal) ?? informer.waitForSync(signal),
      lastResourceVersion: () => informer.lastResourceVersion(),
    };
    const view = createView<P>(source, id, () => this.#close(id));
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

  /** Returns the relist that brings these fields; `undefined` for the first list. */
  #addFields(fields: FieldTree): Completion | undefined {
    if (!covers(this.#fields, fields)) {
      this.#fields = unionOf([this.#fields, fields]);
      if (this.#started) this.#lastRelist = this.#informer.relist();
    }
    return this.#lastRelist;
  }

  #close(id: string): void {
    if (!this.#views.delete(id) || this.#views.size > 0) return;
    this.#unused.abort();
    this.#options.onUnused();
  }
}
