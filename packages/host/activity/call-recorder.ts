import { type Clock, messageOf } from "@csi-sidecars/base";
import type { DriverCallOptions, Interceptor } from "@csi-sidecars/csi";
import { type Client, PersistentVolume, type V1PersistentVolume } from "@csi-sidecars/kube";
import { type CallSubject, isPartOfLife, subjectOf } from "./call-subject.ts";
import { type VolumeTimeline, VolumeTimelines } from "./volume-timelines.ts";

/** A call that the driver has not answered yet. */
export interface CallInFlight extends CallSubject {
  readonly forMs: number;
}

/** Remembers, for a page that shows it, what is asked of the driver and what became of it. */
export class CallRecorder {
  readonly #clock: Clock;
  readonly #inFlight = new Map<CallSubject, number>();
  readonly #timelines = new VolumeTimelines();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The longest first. */
  get inFlight(): readonly CallInFlight[] {
    const now = this.#clock.monotonic();
    return [...this.#inFlight].map(([subject, since]) => ({ ...subject, forMs: now - since }));
  }

  get volumes(): readonly VolumeTimeline[] {
    return this.#timelines.list();
  }

  /** Sees every unary call. Errors have no secrets of the request in them. */
  readonly interceptor: Interceptor<DriverCallOptions> = (next) => async (call, options) => {
    const subject = { ...subjectOf(call), ...(options.claim !== undefined && { claim: options.claim }) };
    this.#inFlight.set(subject, this.#clock.monotonic());
    const ended = isPartOfLife(subject) ? this.#timelines.begin(subject, this.#clock.now()) : undefined;
    try {
      const response = await next(call, options);
      ended?.(this.#clock.now(), createdId(response));
      return response;
    } catch (error) {
      ended?.(this.#clock.now(), { error: messageOf(error) });
      throw error;
    } finally {
      this.#inFlight.delete(subject);
    }
  };

  /** A client whose new PersistentVolumes are remembered. */
  recording(client: Client): Client {
    return {
      ...client,
      create: async (resource, object, options) => {
        const made = await client.create(resource, object, options);
        if (resource.kind === PersistentVolume.kind) this.#saved(made);
        return made;
      },
    };
  }

  #saved({ metadata, spec }: V1PersistentVolume): void {
    const { csi, claimRef } = spec ?? {};
    if (!csi || metadata?.name === undefined) return;
    const claim = claimRef?.name === undefined ? {} : { claim: `${claimRef.namespace}/${claimRef.name}` };
    this.#timelines.saved({ id: csi.volumeHandle, volume: metadata.name, ...claim }, this.#clock.now());
  }
}

function createdId(response: object): { readonly id?: string } {
  const { volume } = response as { readonly volume?: { readonly volumeId?: string } };
  return volume?.volumeId ? { id: volume.volumeId } : {};
}
