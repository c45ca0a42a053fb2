import type { Client, KubeList, ListOptions, WatchEvent, WatchOptions } from "../../client/client.ts";
import type { KubeObject } from "../../object.ts";
import { TransportError } from "../../transport/transport.ts";
import { added, bookmark, type ConfigMap, configMap, deleted, initialEnd, listOf, modified } from "./objects.ts";
import { refused, status, statusError } from "./scripted-client.ts";

/**
 * An in-memory server that only guarantees consistent versions: it refuses requests, breaks connections, compacts its history, serves
 * lists in small pages and does not always support streamed lists. All driven by the given random numbers.
 */
export class FlakyServer implements Pick<Client, "list" | "watch"> {
  readonly objects = new Map<string, ConfigMap>();
  /** Stops the disturbances, so that a test can wait for the final state. */
  calm = false;
  readonly #random: () => number;
  readonly #watches = new Set<() => void>();
  #history: { readonly version: number; readonly event: WatchEvent<ConfigMap> }[] = [];
  /** What later pages of a list are read from. */
  readonly #snapshots = new Map<number, readonly ConfigMap[]>();
  #version = 1;
  #oldest = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  change(): void {
    const name = `c${Math.floor(this.#random() * 30)}`;
    const version = ++this.#version;
    const known = this.objects.has(name);
    const object = configMap(name, version, { value: `${Math.floor(this.#random() * 5)}` });
    const gone = known && this.#random() < 0.4;
    if (gone) this.objects.delete(name);
    else this.objects.set(name, object);
    this.#history.push({ version, event: gone ? deleted(object) : known ? modified(object) : added(object) });
    for (const wake of this.#watches) wake();
  }

  /** Forgets most of the history, as etcd's compaction does. */
  compact(): void {
    this.#oldest = this.#version - Math.floor(this.#random() * 3);
    this.#history = this.#history.filter(({ version }) => version > this.#oldest);
  }

  async list<T extends KubeObject>(_: unknown, options: ListOptions = {}): Promise<KubeList<T>> {
    this.#mayRefuse();
    const [version, from] = (options.continue ?? `${this.#version}:0`).split(":").map(Number) as [number, number];
    if (options.continue && version <= this.#oldest) throw statusError(410, "Expired");
    if (options.resourceVersion && Number(options.resourceVersion) > this.#version)
      throw statusError(504, "Timeout", "Too large resource version");
    if (options.resourceVersion && options.resourceVersion !== "0" && this.#happens(0.1)) throw statusError(410, "Gone");
    const all = this.#snapshots.get(version) ?? [...this.objects.values()];
    this.#snapshots.set(version, all);
    const until = options.limit ? from + 7 : all.length;
    return listOf(`${version}`, all.slice(from, until), until < all.length ? `${version}:${until}` : undefined) as KubeList<T>;
  }

  async watch<T extends KubeObject>(_: unknown, options: WatchOptions): Promise<AsyncIterable<WatchEvent<T>>> {
    this.#mayRefuse();
    if (options.sendInitialEvents && this.#happens(0.3)) throw statusError(400, "BadRequest");
    return this.#events(options) as AsyncIterable<WatchEvent<T>>;
  }

  async *#events({ resourceVersion, sendInitialEvents, signal }: WatchOptions): AsyncGenerator<WatchEvent<ConfigMap>, void, undefined> {
    let at = Number(resourceVersion);
    if (sendInitialEvents) {
      at = this.#version;
      for (const object of [...this.objects.values()]) {
        yield added(object);
        if (this.#happens(0.02)) throw new TransportError("reset", "cut");
      }
      yield initialEnd(`${at}`);
    }
    for (;;) {
      if (signal?.aborted) throw new TransportError("aborted", "aborted");
      if (at < this.#oldest) {
        yield { type: "ERROR", object: status(410, "Expired") };
        return;
      }
      const next = this.#history.find(({ version }) => version > at);
      if (next) {
        at = next.version;
        yield next.event;
      } else if (this.#happens(0.2)) {
        at = this.#version;
        yield bookmark(`${at}`);
      } else if (this.#happens(0.1)) {
        return;
      } else {
        await this.#changed(signal);
      }
      if (this.#happens(0.03)) throw new TransportError("reset", "cut");
      if (this.#happens(0.01)) yield { type: "ERROR", object: status(429, "TooManyRequests") };
      if (this.#happens(0.01)) yield { type: "ERROR", object: status(500, "InternalError") };
    }
  }

  #changed(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#watches.delete(wake);
        resolve();
      };
      this.#watches.add(wake);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }

  #mayRefuse(): void {
    if (this.#happens(0.15)) throw this.#random() < 0.5 ? refused() : statusError(429, "TooManyRequests");
    if (this.#happens(0.05)) throw statusError(500, "InternalError");
  }

  #happens(probability: number): boolean {
    return !this.calm && this.#random() < probability;
  }
}
