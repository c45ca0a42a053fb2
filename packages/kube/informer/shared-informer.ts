import { asError, type Clock, type Logger } from "@csi-sidecars/base";
import type { Cached } from "./fields.ts";
import type { Handler, HandlerOptions, Registration } from "./handler.ts";
import { HandlerGroup } from "./handler-group.ts";
import type { IndexFunction } from "./index-table.ts";
import type { InformerStatus } from "./informer-status.ts";
import { Latch } from "./latch.ts";
import { type ReflectorEvent, reflect } from "./reflector.ts";
import { RoundBackoff } from "./round-backoff.ts";
import { Store, type StoreReader } from "./store.ts";
import type { WatcherEvent } from "./watcher-event.ts";

export interface SharedInformerOptions<P> {
  /** Names the kind in logs and errors. */
  readonly name: string;
  /** A watcher's events; called again after {@link SharedInformer.relist}, with the version reached. */
  readonly events: (from: { readonly signal: AbortSignal; readonly since: string }) => AsyncIterable<WatcherEvent<P>>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Is told what a handler or an index function threw, beside the log. */
  readonly onError?: (error: unknown, where: string) => void;
  readonly random?: () => number;
}

/** One cache of a kind for many readers. */
export class SharedInformer<P extends Cached> {
  readonly #options: SharedInformerOptions<P>;
  readonly #store: Store<P>;
  readonly #handlers: HandlerGroup<P>;
  readonly #firstList = new Latch();
  /** Lists asked for by `relist` that no list has answered yet. */
  #awaited: readonly Latch[] = [];
  #stream: AbortController | undefined;
  #state: InformerStatus["state"] = "idle";
  #since: number;
  #failing: InformerStatus["failing"];

  constructor(options: SharedInformerOptions<P>) {
    const report = (error: unknown, where: string) => {
      options.log.error(error, "A reader of the cache failed", { informer: options.name, where });
      options.onError?.(error, where);
    };
    this.#options = options;
    this.#since = options.clock.now();
    this.#store = new Store({ onIndexError: (error, index) => report(error, `index ${index}`) });
    this.#handlers = new HandlerGroup(this.#store, options.clock, report);
  }

  /** Shows nothing until the first list is complete. */
  get store(): StoreReader<P> {
    return this.#store;
  }

  hasSynced(): boolean {
    return this.#firstList.isOpen;
  }

  /** Resolves when the first list is complete; rejects when the signal aborts or the informer stops first. */
  waitForSync(signal?: AbortSignal): Promise<void> {
    return this.#firstList.wait(signal);
  }

  lastResourceVersion(): string {
    return this.#store.resourceVersion;
  }

  status(): InformerStatus {
    const { size: objects, resourceVersion } = this.#store;
    return { state: this.#state, since: this.#since, objects, resourceVersion, ...(this.#failing && { failing: this.#failing }) };
  }

  addIndex(name: string, values: IndexFunction<P>): void {
    this.#refuseWhenStopped();
    this.#store.addIndex(name, values);
  }

  removeIndex(name: string): void {
    this.#store.removeIndex(name);
  }

  /**
   * A handler that joins late is first told about every object there is, then about what happens from this moment on. With
   * `after` (from {@link relist}) it joins when that list is complete.
   */
  addHandler(handler: Handler<P>, options: HandlerOptions & { readonly after?: Latch } = {}): Registration {
    this.#refuseWhenStopped();
    return this.#handlers.add(handler, options.after ?? this.#firstList, options);
  }

  /** Begins to list and watch; at most once. Aborting the signal stops the informer for good. */
  start(signal: AbortSignal): void {
    if (this.#state !== "idle") throw new Error(`the informer of ${this.#options.name} was already started`);
    this.#enter("syncing");
    signal.addEventListener("abort", () => this.#stop(), { once: true });
    if (signal.aborted) this.#stop();
    else void this.#run(signal);
  }

  /** Lists anew because objects are to be kept in another form; readers see the old ones until that list is complete. */
  relist(): Latch {
    this.#refuseWhenStopped();
    const listed = new Latch();
    this.#awaited = [...this.#awaited, listed];
    this.#stream?.abort(new Error("listing anew"));
    return listed;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const backoff = new RoundBackoff(this.#options.clock, this.#options.random ?? Math.random);
    while (!signal.aborted) {
      const stream = new AbortController();
      this.#stream = stream;
      try {
        await this.#follow(AbortSignal.any([signal, stream.signal]));
      } catch (error) {
        if (signal.aborted) return;
        this.#options.log.error(error, "An informer lost its events, will begin anew", { informer: this.#options.name });
        this.#fail(error);
      }
      if (!stream.signal.aborted) await backoff.wait(signal).catch(() => undefined);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const answers = this.#awaited;
    if (answers.length > 0) this.#store.expectOtherForm();
    const events = this.#options.events({ signal, since: this.#store.resourceVersion });
    for await (const event of reflect(this.#store, events)) {
      this.#take(event);
      if (event.type === "Filled" || event.type === "Replaced") this.#listed(answers);
      // Only now: what the store has taken in, handlers must be told.
      if (signal.aborted) return;
    }
  }

  #take(event: ReflectorEvent<P>): void {
    if (event.type === "Failed") this.#fail(event.error);
    else if (event.type === "Watching") this.#failing = undefined;
    else this.#handlers.tell(event);
  }

  #listed(answers: readonly Latch[]): void {
    if (this.#state === "syncing") this.#enter("synced");
    this.#awaited = this.#awaited.filter((latch) => !answers.includes(latch));
    for (const latch of [this.#firstList, ...answers]) latch.open();
    this.#handlers.admit();
  }

  #enter(state: InformerStatus["state"]): void {
    this.#state = state;
    this.#since = this.#options.clock.now();
  }

  #fail(error: unknown): void {
    const cause = asError(error);
    this.#failing = { error: cause, since: this.#failing?.since ?? this.#options.clock.now() };
  }

  #refuseWhenStopped(): void {
    if (this.#state === "stopped") throw new Error(`the informer of ${this.#options.name} has stopped`);
  }

  #stop(): void {
    this.#enter("stopped");
    const reason = new Error(`the informer of ${this.#options.name} stopped before it had synced`);
    for (const latch of [this.#firstList, ...this.#awaited]) latch.fail(reason);
    this.#handlers.stop(reason);
  }
}
