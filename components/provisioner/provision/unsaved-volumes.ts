import { apiTimeoutMs } from "@csi-sidecars/controller";
import {
  type Client,
  done,
  isAlreadyExists,
  isInvalid,
  PersistentVolume,
  type RateLimitingQueue,
  type Reconcile,
  type V1PersistentVolume,
} from "@csi-sidecars/kube";
import { messages } from "../messages.ts";

export interface UnsavedVolumesOptions {
  readonly kube: Client;
  readonly queue: RateLimitingQueue;
  /** By name; those that an earlier run left are tried too. */
  readonly volumes: Map<string, V1PersistentVolume>;
  /** The volume is at the API server now. `late`: not with the first try. */
  readonly onSaved: (volume: V1PersistentVolume, late: boolean) => void;
  readonly onFailed: (volume: V1PersistentVolume, error: unknown) => void;
  /** It turned out to be another claim's, not with the first try. */
  readonly onAnothers: (volume: V1PersistentVolume) => void;
}

/**
 * The volume is another claim's: the names of both were cut to the same one, so the driver was asked for the same volume twice. It goes
 * when the other claim does, and must not be given to this one then.
 */
class AnothersVolume extends Error {}

/**
 * Volumes on their way to the API server. One that it does not take at once is tried forever: it exists at the driver, and this
 * is the only one who knows.
 */
export class UnsavedVolumes {
  readonly #options: UnsavedVolumesOptions;
  readonly #volumes: Map<string, V1PersistentVolume>;

  constructor(options: UnsavedVolumesOptions) {
    this.#options = options;
    this.#volumes = options.volumes;
    for (const name of options.volumes.keys()) options.queue.add(name);
  }

  get size(): number {
    return this.#volumes.size;
  }

  has(name: string): boolean {
    return this.#volumes.has(name);
  }

  /** Tries once; what fails goes on by itself. Throws {@link AnothersVolume}, and what the API server will never take. */
  async save(volume: V1PersistentVolume, signal: AbortSignal): Promise<void> {
    try {
      await this.#create(volume, signal);
      this.#options.onSaved(volume, false);
    } catch (error) {
      if (error instanceof AnothersVolume || isInvalid(error)) throw error;
      const name = volume.metadata?.name ?? "";
      this.#volumes.set(name, volume);
      this.#options.onFailed(volume, error);
      this.#options.queue.addRateLimited(name);
    }
  }

  readonly reconcile: Reconcile = async (name, signal) => {
    const volume = this.#volumes.get(name);
    if (!volume) return done;
    try {
      await this.#create(volume, signal);
    } catch (error) {
      if (!(error instanceof AnothersVolume)) throw error;
      this.#volumes.delete(name);
      this.#options.onAnothers(volume);
      return done;
    }
    this.#volumes.delete(name);
    this.#options.onSaved(volume, true);
    return done;
  };

  async #create(volume: V1PersistentVolume, signal: AbortSignal): Promise<void> {
    const options = { signal, timeoutMs: apiTimeoutMs };
    try {
      await this.#options.kube.create(PersistentVolume, volume, options);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const name = volume.metadata?.name ?? "";
      const found = await this.#options.kube.get(PersistentVolume, { name }, options);
      if (isAnothers(found, volume)) throw new AnothersVolume(anothersVolume(name), { cause: error });
      if (!isSame(found, volume)) throw new Error(messages.volumeInTheWay(name), { cause: error });
    }
  }
}

/** What is said of a claim whose volume's name belongs to another one. */
export function anothersVolume(name: string): string {
  return `PersistentVolume "${name}" exists and belongs to another claim: use a longer --volume-name-uuid-length`;
}

function isAnothers(found: V1PersistentVolume, volume: V1PersistentVolume): boolean {
  const handle = found.spec?.csi?.volumeHandle;
  return handle !== undefined && handle === volume.spec?.csi?.volumeHandle && found.spec?.claimRef?.uid !== volume.spec?.claimRef?.uid;
}

/** Whether what is there is what an earlier attempt, whose answer was lost, has saved, and is there to stay. */
function isSame(found: V1PersistentVolume, volume: V1PersistentVolume): boolean {
  const sameClaim = found.spec?.claimRef?.uid === volume.spec?.claimRef?.uid;
  const sameSource = (found.spec?.csi?.volumeHandle ?? "") === (volume.spec?.csi?.volumeHandle ?? "");
  return sameClaim && sameSource && !found.metadata?.deletionTimestamp;
}
