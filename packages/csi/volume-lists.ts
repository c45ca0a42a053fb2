import { type Clock, deferred } from "@csi-sidecars/base";
import { type Availability, untilAvailable } from "./connection/availability.ts";
import type { DriverClient } from "./connection/driver-client.ts";
import type { ListVolumesResponse_Entry } from "./gen/csi.ts";
import { listPages } from "./list-pages.ts";

/** Gets the pages of one list, one after the other. */
export interface PageReader {
  addPage(entries: readonly ListVolumesResponse_Entry[]): void;
}

/** What somebody who reads the driver's volumes asks for. */
export interface VolumeListRequest<R extends PageReader = PageReader> {
  /** When the list is due. */
  readonly inMs: number;
  readonly clock: Clock;
  /** Of a list that is made for this request; one that others make has theirs. */
  readonly controller: Pick<DriverClient["controller"], "listVolumes">;
  readonly maxEntries: number;
  /** Time limit of each page, so that many volumes only take longer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** A list begins: all its pages go to what this returns. Called again for another list if that one breaks off. */
  begin(): R;
}

/** Somebody who waits for the list of somebody else. */
interface Waiting extends Pick<VolumeListRequest, "begin" | "signal"> {
  joined(part: ListPart): void;
}

/** The last part of a wait, in which a list of others is taken: the driver would be asked twice for nearly the same. */
const sharedPart = 0.2;

/**
 * The lists of the driver's volumes, which the components of a process share: a list that one of them makes serves all those that are
 * about to need one. Each sees a list from its first page on, and none that began before its time had come.
 *
 * ```ts
 * const begin = () => new VolumeIds();
 * const { ids } = await lists.next({ inMs: 60_000, begin, controller, maxEntries: 0, timeoutMs: 15_000, clock, signal });
 * ```
 */
export class VolumeLists {
  readonly #availability: Availability;
  readonly #waiting = new Set<Waiting>();

  constructor(availability: Availability) {
    this.#availability = availability;
  }

  /**
   * Reads one list: one that somebody else makes in the last part of the wait, or one of its own at the end. A driver that is away is waited
   * for. Rejects with the error of its own list or of its reader, and when the signal aborts; what goes wrong with others does not matter.
   */
  async next<R extends PageReader>(request: VolumeListRequest<R>): Promise<R> {
    const { inMs, clock, signal } = request;
    const due = clock.monotonic() + inMs;
    if (inMs > 0) await clock.sleep(inMs * (1 - sharedPart), signal);
    let reader: R | undefined;
    const begin = () => {
      reader = request.begin();
      return reader;
    };
    do {
      const part = await this.#join({ ...request, begin }, due - clock.monotonic());
      if (!part) await untilAvailable(this.#availability, signal);
      signal.throwIfAborted();
      const isComplete = await (part ? part.isComplete : this.#make({ ...request, begin }));
      if (!isComplete) reader = undefined;
    } while (!reader);
    return reader;
  }

  /** Waits for a list of somebody else; `undefined` when there is none in time, or the signal aborts. */
  async #join({ begin, clock, signal }: VolumeListRequest, forMs: number): Promise<ListPart | undefined> {
    if (forMs <= 0 || signal.aborted) return undefined;
    const { promise, resolve } = deferred<ListPart | undefined>();
    const waiting: Waiting = { begin, signal, joined: resolve };
    const stop = () => {
      if (this.#waiting.delete(waiting)) resolve(undefined);
    };
    this.#waiting.add(waiting);
    const timer = clock.after(forMs, stop);
    signal.addEventListener("abort", stop, { once: true });
    const joined = await promise;
    timer.cancel();
    signal.removeEventListener("abort", stop);
    return joined;
  }

  /** Makes a list, for all who wait for one. */
  async #make(request: VolumeListRequest): Promise<boolean> {
    const { controller, maxEntries, timeoutMs, signal } = request;
    const own = new ListPart(request);
    const others = [...this.#waiting].map((waiting) => {
      const part = new ListPart(waiting);
      waiting.joined(part);
      return part;
    });
    this.#waiting.clear();
    const parts = [own, ...others];
    try {
      const read = (startingToken: string) => controller.listVolumes({ maxEntries, startingToken }, { timeoutMs, signal });
      for await (const entries of listPages("ListVolumes", read)) for (const part of parts) part.addPage(entries);
      for (const part of parts) part.end(true);
    } finally {
      for (const part of parts) part.end(false);
    }
    return own.isComplete;
  }
}

/** What one reader gets of a list. One that fails, or is not wanted any more, gets no more of it; the others do. */
class ListPart {
  readonly #ended = deferred<boolean>();
  readonly #signal: AbortSignal;
  readonly #leave = () => this.end(false);
  #reader: PageReader | undefined;

  constructor({ begin, signal }: Pick<VolumeListRequest, "begin" | "signal">) {
    this.#signal = signal;
    this.isComplete.catch(() => undefined);
    signal.addEventListener("abort", this.#leave, { once: true });
    this.#guarded(() => {
      this.#reader = begin();
    });
  }

  /** Whether the list came to its end. Rejects with what the reader throws. */
  get isComplete(): Promise<boolean> {
    return this.#ended.promise;
  }

  addPage(entries: readonly ListVolumesResponse_Entry[]): void {
    this.#guarded(() => this.#reader?.addPage(entries));
  }

  /** The first end counts. */
  end(isComplete: boolean): void {
    this.#reader = undefined;
    this.#signal.removeEventListener("abort", this.#leave);
    this.#ended.resolve(isComplete);
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#ended.reject(error);
      this.end(false);
    }
  }
}
