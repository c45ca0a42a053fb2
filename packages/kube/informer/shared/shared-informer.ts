import { asError, type Clock, type Logger } from "@csi-sidecars/base";
import type { Cached } from "../fields/fields.ts";
import type { IndexFunction } from "../store/index-table.ts";
import { type ReflectorEvent, reflect } from "../store/reflector.ts";
import { Store, type StoreReader } from "../store/store.ts";
import { ReflectorBackoff } from "../watcher/reflector-backoff.ts";
import type { WatcherEvent } from "../watcher/watcher-event.ts";
import { Completion } from "./completion.ts";
import type { Handler, HandlerOptions, HandlerRegistration } from "./event-handler.ts";
import { HandlerGroup } from "./handler-group.ts";

/** The state of an informer, for readiness reports. */
export interface InformerStatus {
  /** `idle`: not started; `syncing`: the first list is not complete; `synced`: it is, and changes are watched. */
  readonly state: "idle" | "syncing" | "synced" | "stopped";
  /** Wall time in milliseconds since which the state holds. */
  readonly since: number;
  readonly objects: number;
  readonly resourceVersion: string;
  /** What keeps failing, and since when; absent as soon as a watch is open again. */
  readonly failing?: { readonly error: Error; readonly since: number };
}

export interface SharedInformerOptions<P> {
  /** Names the kind in logs and errors. */
  readonly name: string;
  /** A watcher's events; called again after {@link SharedInformer.relist}, with the version reached. */
  readonly events: (from: { readonly signal: AbortSignal; readonly since: string }) => AsyncIterable<WatcherEvent<P>>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with what a handler or an index function threw, in addition to the log. */
  readonly onError?: (error: unknown, where: string) => void;
  readonly random?: () => number;
}

/** One cache of a kind for many readers. */
export class SharedInformer<P extends Cached> {
  readonly #options: SharedInformerOptions<P>;
  readonly #store: Store<P>;
  readonly #handlers: HandlerGroup<P>;
  readonly #firstList = new Completion();
  /** Requests by `relist` that no list has answered yet. */
  #relists: readonly Completion[] = [];
  #stream: AbortController | undefined;
  #state: InformerStatus["state"] = "idle";
  #since: number;
  #failing: InformerStatus["failing"];

  constructor(options: SharedInformerOptions<P>) {
    const report = (error: unknown, where: string) => {
      options.log.error(error, "Informer handler or index failed", { informer: options.name, where });
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
    return this.#firstList.isComplete;
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
   * A handler that is added late is first called for every existing object, then for every later change. With `after` (from
   * {@link relist}) it joins when that list is complete.
   */
  addHandler(handler: Handler<P>, options: HandlerOptions & { readonly after?: Completion } = {}): HandlerRegistration {
    this.#refuseWhenStopped();
    return this.#handlers.add(handler, options.after ?? this.#firstList, options);
  }

  /** Starts to list and watch; at most once. Aborting the signal stops the informer for good. */
  start(signal: AbortSignal): void {
    if (this.#state !== "idle") throw new Error(`the informer of ${this.#options.name} was already started`);
    this.#enter("syncing");
    signal.addEventListener("abort", () => this.#stop(), { once: true });
    if (signal.aborted) this.#stop();
    else void this.#run(signal);
  }

  /** Lists again because other fields are to be cached; readers see the old objects until that list is complete. */
  relist(): Completion {
    this.#refuseWhenStopped();
    const listed = new Completion();
    this.#relists = [...this.#relists, listed];
    this.#stream?.abort(new Error("listing again"));
    return listed;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const backoff = new ReflectorBackoff(this.#options.clock, this.#options.random ?? Math.random);
    while (!signal.aborted) {
      const stream = new AbortController();
      this.#stream = stream;
      try {
        await this.#follow(AbortSignal.any([signal, stream.signal]));
      } catch (error) {
        if (signal.aborted) return;
        this.#options.log.error(error, "Informer failed, will list again", { informer: this.#options.name });
        this.#fail(error);
      }
      if (!stream.signal.aborted) await backoff.wait(signal).catch(() => undefined);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const answers = this.#relists;
    if (answers.length > 0) this.#store.expectOtherFields();
    const events = this.#options.events({ signal, since: this.#store.resourceVersion });
    for await (const event of reflect(this.#store, events)) {
      this.#take(event);
      if (event.type === "Filled" || event.type === "Replaced") this.#listed(answers);
      // Not earlier: handlers must be notified of what the store has applied.
      if (signal.aborted) return;
    }
  }

  #take(event: ReflectorEvent<P>): void {
    if (event.type === "Failed") this.#fail(event.error);
    else if (event.type === "Watching") this.#failing = undefined;
    else this.#handlers.notify(event);
  }

  #listed(answers: readonly Completion[]): void {
    if (this.#state === "syncing") this.#enter("synced");
    this.#relists = this.#relists.filter((completion) => !answers.includes(completion));
    for (const completion of [this.#firstList, ...answers]) completion.complete();
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
    for (const completion of [this.#firstList, ...this.#relists]) completion.fail(reason);
    this.#handlers.stop(reason);
  }
}
