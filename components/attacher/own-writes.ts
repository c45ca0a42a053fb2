import type { Cached, KubeObject, StoreReader } from "@csi-sidecars/kube";

interface Written<P> {
  readonly object: P;
  /** Versions that our writes made and the watch has not shown yet. */
  readonly versions: Set<string>;
}

/**
 * A cache that is never behind our own writes. What the API server answered to a write is used until the watch shows it, and
 * events that show nothing but our writes are told from those that bring news. It remembers only what the watch has yet to show.
 */
export class OwnWrites<P extends Cached> {
  readonly #cache: StoreReader<P>;
  readonly #project: (object: KubeObject) => P;
  readonly #written = new Map<string, Written<P>>();
  /** Events that came while a write of their object was under way: whose they are is known when it is answered. */
  readonly #writing = new Map<string, { count: number; events: { readonly object: P; readonly news: () => void }[] }>();

  constructor(cache: StoreReader<P>, project: (object: KubeObject) => P) {
    this.#cache = cache;
    this.#project = project;
  }

  /** How many objects the watch lags behind for. */
  get size(): number {
    return this.#written.size;
  }

  /** The newest state known. */
  get(name: string): P | undefined {
    const cached = this.#cache.get(name);
    const written = this.#written.get(name)?.object;
    return cached && written && isSuccessor(written, cached) ? written : cached;
  }

  /** Carries out a write and answers what the object is now. */
  async write(name: string, send: () => Promise<KubeObject>): Promise<P> {
    const writing = this.#writing.get(name) ?? { count: 0, events: [] };
    this.#writing.set(name, writing);
    writing.count++;
    try {
      const object = this.#project(await send());
      this.#remember(name, object);
      return object;
    } finally {
      if (--writing.count === 0) {
        this.#writing.delete(name);
        for (const { object, news } of writing.events) this.#judge(object, news);
      }
    }
  }

  /** To be called with every object that the watch shows; calls `news` unless it shows one of our writes. */
  observe(object: P, news: () => void): void {
    const writing = this.#writing.get(object.metadata.name);
    if (writing) writing.events.push({ object, news });
    else this.#judge(object, news);
  }

  /** To be called when the watch shows that the object is gone; answers the last state known. */
  gone(object: P): P {
    const written = this.#written.get(object.metadata.name)?.object;
    this.#written.delete(object.metadata.name);
    return written && isSuccessor(written, object) ? written : object;
  }

  #remember(name: string, object: P): void {
    const cached = this.#cache.get(name);
    // Gone already, or replaced: nobody would come to take it out again.
    if (cached?.metadata.uid !== object.metadata.uid) return;
    const before = this.#written.get(name);
    const newest = before && isSuccessor(before.object, object) ? before.object : object;
    this.#written.set(name, { object: newest, versions: new Set([...(before?.versions ?? []), object.metadata.resourceVersion]) });
  }

  #judge(object: P, news: () => void): void {
    const { name, resourceVersion } = object.metadata;
    const written = this.#written.get(name);
    const own = written?.versions.has(resourceVersion) ?? false;
    if (written && !isSuccessor(written.object, object)) this.#written.delete(name);
    if (!own) news();
  }
}

/** Whether `a` is a later state of the object `b`. The API server's versions are decimal numbers that grow. */
function isSuccessor(a: Cached, b: Cached): boolean {
  const [left, right] = [a.metadata.resourceVersion, b.metadata.resourceVersion];
  if (a.metadata.uid !== b.metadata.uid) return false;
  return left.length === right.length ? left > right : left.length > right.length;
}
