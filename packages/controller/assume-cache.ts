import { type Cached, type Key, type KubeObject, keyOf, type StoreReader } from "@csi-sidecars/kube";

interface Assumed<P> {
  readonly object: P;
  /** We created it: it exists although the watch has never shown it. */
  readonly isNew: boolean;
  /** Versions that our writes made and the watch has not shown yet, by what they replaced: a version, `nothing` or `anything`. */
  readonly versions: Map<string, string>;
}

/** What an object replaced that did not exist. */
const nothing = "";
/** What a write replaced that the API server takes for any version. */
const anything = "*";

/** An event whose object changed from `old`; `undefined` where it was not known. */
interface Observed<P> {
  readonly old: P | undefined;
  readonly object: P;
  readonly onChange: () => void;
}

interface Deletable {
  readonly metadata: Cached["metadata"] & { readonly deletionTimestamp?: string; readonly finalizers?: readonly string[] };
}

/** What the watch shows. */
type Shown<P> = Pick<StoreReader<P>, "get"> & {
  /** How far the watch is; for caches of objects that we create. */
  lastResourceVersion?(): string;
};

/**
 * A cache that is never behind our own writes, as the scheduler's assume cache. The API server's answer to a write is used until the
 * watch shows it, and events that show nothing but our own writes are told apart from changes that others made. A list that replaces
 * an interrupted watch shows several writes as one event, which is told by what each write replaced. It holds only what the watch has
 * yet to show.
 *
 * ```ts
 * const volumes = new AssumeCache<Volume>(view, project);
 * const volume = await volumes.write(name, () => kube.patch(PersistentVolume, { name }, patch));
 * view.addHandler({ onUpdate: (old, volume) => volumes.observe(old, volume, () => queue.add(volume.metadata.name)) });
 * ```
 */
export class AssumeCache<P extends Cached> {
  readonly #cache: Shown<P>;
  readonly #project: (object: KubeObject) => P;
  readonly #assumed = new Map<Key, Assumed<P>>();
  /** Events that arrived during a write of their object: whether they show it is known when it is answered. */
  readonly #writing = new Map<Key, { count: number; events: Observed<P>[] }>();

  constructor(cache: Shown<P>, project: (object: KubeObject) => P) {
    this.#cache = cache;
    this.#project = project;
  }

  /** How many objects the watch lags behind for. */
  get size(): number {
    return this.#assumed.size;
  }

  /** The newest known state. */
  get(key: Key): P | undefined {
    const cached = this.#cache.get(key);
    const assumed = this.#assumed.get(key);
    if (!assumed) return cached;
    if (cached) return cached.metadata.uid === assumed.object.metadata.uid && !isNewer(cached, assumed.object) ? assumed.object : cached;
    if (this.#isYetToBeShown(assumed)) return assumed.object;
    this.#assumed.delete(key);
    return undefined;
  }

  /**
   * Sends a write; returns the object as the API server has it now. `replaces`: the only version that the API server takes it for. Without
   * one, a change of somebody else that a later list shows together with the write goes unnoticed, but for a deletion.
   */
  write(key: Key, send: () => Promise<KubeObject>, replaces = anything): Promise<P> {
    return this.#send(key, send, replaces);
  }

  /** Sends the creation of an object, which exists for `get` from then on. */
  create(key: Key, send: () => Promise<KubeObject>): Promise<P> {
    return this.#send(key, send, nothing);
  }

  async #send(key: Key, send: () => Promise<KubeObject>, replaces: string): Promise<P> {
    const writing = this.#writing.get(key) ?? { count: 0, events: [] };
    this.#writing.set(key, writing);
    writing.count++;
    try {
      const object = this.#project(await send());
      this.#assume(key, object, replaces);
      return object;
    } finally {
      if (--writing.count === 0) {
        this.#writing.delete(key);
        for (const event of writing.events) this.#confirm(event);
      }
    }
  }

  /** Call it with every object that the watch shows. It calls `onChange` unless the event shows nothing but our writes. */
  observe(old: P | undefined, object: P, onChange: () => void): void {
    const event = { old, object, onChange };
    const writing = this.#writing.get(keyOf(object));
    if (writing) writing.events.push(event);
    else this.#confirm(event);
  }

  /** Call it when the watch shows that the object is deleted. Returns the last known state. */
  deleted(object: P): P {
    const key = keyOf(object);
    const assumed = this.#assumed.get(key)?.object;
    this.#assumed.delete(key);
    return assumed && isNewer(assumed, object) ? assumed : object;
  }

  #assume(key: Key, object: P, replaces: string): void {
    const isNew = replaces === nothing;
    const before = this.#assumed.get(key);
    const isShown = this.#cache.get(key)?.metadata.uid === object.metadata.uid;
    const isOurs = isNew || (before?.isNew === true && before.object.metadata.uid === object.metadata.uid);
    // Deleted or replaced meanwhile: no event would ever remove the entry.
    if (!isShown && !(isOurs && this.#isYetToBeShown({ object, isNew: true }))) return;
    const newest = before && isNewer(before.object, object) ? before.object : object;
    const { resourceVersion } = object.metadata;
    const versions = new Map(before?.versions);
    // A write that changes nothing makes no version.
    if (resourceVersion !== replaces) versions.set(resourceVersion, replaces);
    this.#assumed.set(key, { object: newest, isNew: isOurs, versions });
  }

  /** Whether an object is not shown because the watch is behind; if it has passed its version, the object is gone. */
  #isYetToBeShown({ object, isNew }: Pick<Assumed<P>, "object" | "isNew">): boolean {
    return isNew && isLaterVersion(object.metadata.resourceVersion, this.#cache.lastResourceVersion?.() ?? "");
  }

  #confirm({ old, object, onChange }: Observed<P>): void {
    const key = keyOf(object);
    const assumed = this.#assumed.get(key);
    const isOwn = assumed !== undefined && isOwnChange(assumed.versions, old, object);
    if (assumed && !isNewer(assumed.object, object) && !isBeforeEnd(object, assumed.object)) this.#assumed.delete(key);
    if (!isOwn) onChange();
  }
}

/** Whether nobody but us wrote between the two states. A deletion is never ours. */
function isOwnChange(versions: ReadonlyMap<string, string>, old: Deletable | undefined, object: Deletable): boolean {
  if (object.metadata.deletionTimestamp && !old?.metadata.deletionTimestamp) return false;
  const from = old?.metadata.resourceVersion ?? nothing;
  let replaced = versions.get(object.metadata.resourceVersion);
  while (replaced !== undefined && replaced !== from && replaced !== anything) replaced = versions.get(replaced);
  return replaced !== undefined;
}

/**
 * Whether the event shows what our last write ended: the answer to a patch that removes the last finalizer of a deleted object has the version
 * of before.
 */
function isBeforeEnd(shown: Deletable, { metadata: { uid, resourceVersion, deletionTimestamp, finalizers = [] } }: Deletable): boolean {
  const isEnd = deletionTimestamp !== undefined && finalizers.length === 0;
  return isEnd && shown.metadata.uid === uid && shown.metadata.resourceVersion === resourceVersion;
}

/** Whether a resource version comes after another one of the same kind: they are decimal numbers that grow. */
export function isLaterVersion(version: string, other: string): boolean {
  return version.length === other.length ? version > other : version.length > other.length;
}

/** Whether `a` is a later state of the very object `b`: one of the same name with another uid is another object. */
function isNewer(a: Cached, b: Cached): boolean {
  return a.metadata.uid === b.metadata.uid && isLaterVersion(a.metadata.resourceVersion, b.metadata.resourceVersion);
}
