import { type Clock, elapsedSince, type Logger, type Moment, momentOn } from "@csi-sidecars/base";
import type { CallOptions, Client } from "../client/client.ts";
import { ignoreNotFound } from "../client/status-error.ts";
import { Lease, type V1Lease } from "../resources.ts";
import {
  type Candidate,
  claimedRecord,
  isValid,
  type LeaseRecord,
  type Observation,
  observe,
  recordOf,
  releasedRecord,
  withRecord,
} from "./lease-record.ts";
import type { LeaseWriter } from "./lease-writer.ts";

/** What an election needs: deployed roles grant get, create and update on leases, not patch. */
export type LeaseClient = Pick<Client, "get" | "create" | "update">;

export interface LeaseLockOptions {
  readonly client: LeaseClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly me: Candidate;
  readonly writer: LeaseWriter;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The record differs from the one observed before. */
  onObserved(lease: V1Lease): void;
  onSlowPath(): void;
}

export type AttemptResult =
  | { readonly kind: "mine"; readonly lease: V1Lease }
  /** `sharedIdentity`: it is another process that has the identity of this one. */
  | { readonly kind: "theirs"; readonly holder: string; readonly sharedIdentity: boolean }
  /** Deleted, and its last holder may still be working. */
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly error: unknown };

/** A Lease and what is known of it. Each attempt is a few requests; the elector decides when to attempt. */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  #annotations: Readonly<Record<string, string>>;
  #lease: V1Lease | undefined;
  #observed: Observation | undefined;
  #missingSince: number | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** When the last successful write was sent: other candidates count the lease from a later moment. */
  #renewed: Moment | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#annotations = options.annotations;
  }

  /** What the last attempt to acquire it failed with. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** As last read or written. */
  get lease(): V1Lease | undefined {
    return this.#lease;
  }

  get observed(): Observation | undefined {
    return this.#observed;
  }

  /** How long ago, at most, others saw the last confirmed renewal. */
  get sinceRenewalMs(): number {
    return this.#renewed ? elapsedSince(this.#renewed, this.#options.clock) : Number.POSITIVE_INFINITY;
  }

  get isMine(): boolean {
    return this.#lease !== undefined && this.#isOurs(recordOf(this.#lease));
  }

  /** Whether another process that has the identity of this one was the last to write. */
  get hasSharedIdentity(): boolean {
    return this.#lease !== undefined && this.#isNamesakes(recordOf(this.#lease));
  }

  /** Written with the next attempt and with every one after it. */
  setAnnotations(annotations: Readonly<Record<string, string>>): void {
    this.#annotations = { ...this.#annotations, ...annotations };
  }

  /** Takes the lease if it is free or expired, renews it if it is ours. */
  async acquire(call: CallOptions): Promise<AttemptResult> {
    const result = await this.#attempt(call, "acquire");
    this.#failure = result.kind === "failed" ? result : undefined;
    return result;
  }

  /** Renews the lease. One with another holder, even an empty one, is lost: another candidate may have led in between. */
  async renew(call: CallOptions): Promise<AttemptResult> {
    return this.#attempt(call, "renew");
  }

  /** Releases the lease. `false` when it is not ours any more. */
  async release(call: CallOptions): Promise<boolean> {
    const { client, clock, lease: ref } = this.#options;
    const lease = await client.get(Lease, ref, call);
    const before = recordOf(lease);
    if (!this.#isOurs(before)) return false;
    await this.#put(lease, releasedRecord(before, clock.now()), call);
    this.#renewed = undefined;
    return true;
  }

  async #attempt(call: CallOptions, mode: "acquire" | "renew"): Promise<AttemptResult> {
    const { clock, log, writer } = this.#options;
    const known = this.#lease;
    const held = this.#isHeld();
    if (held && known) {
      try {
        return await this.#claim(known, recordOf(known), call);
      } catch (error) {
        log.v(2).info("Failed to update lease optimistically, falling back to slow path", { error: String(error) });
      }
    }
    try {
      const lease = await this.#read(call);
      if (!lease) return await this.#create(call, mode, held);
      const record = recordOf(lease);
      this.#observe(lease, record);
      if (this.#isOurs(record)) {
        this.#options.onSlowPath();
        return await this.#claim(lease, record, call);
      }
      writer.lost();
      const sharedIdentity = this.#isNamesakes(record);
      const left = this.#observed && isValid(this.#observed, clock.monotonic()) && !(sharedIdentity && writer.writerHasEnded(lease));
      if (left || mode === "renew") return { kind: "theirs", holder: record.holderIdentity, sharedIdentity };
      return await this.#claim(lease, record, call);
    } catch (error) {
      if (call.signal?.aborted) log.v(4).info("The attempt to acquire or renew the lease was cancelled", { error: String(error) });
      else log.error(error, "Failed to acquire or renew the lease");
      return { kind: "failed", error };
    }
  }

  /** Whether it has been ours without interruption since our last confirmed write: one that was only read may be about to expire. */
  #isHeld(): boolean {
    return this.isMine && this.sinceRenewalMs < this.#options.me.leaseDurationSeconds * 1000;
  }

  #isOurs(record: LeaseRecord): boolean {
    const { me, writer } = this.#options;
    return record.holderIdentity === me.identity && writer.wrote(record);
  }

  #isNamesakes(record: LeaseRecord): boolean {
    return record.holderIdentity === this.#options.me.identity && !this.#isOurs(record);
  }

  #read(call: CallOptions): Promise<V1Lease | undefined> {
    return ignoreNotFound(this.#options.client.get(Lease, this.#options.lease, call));
  }

  /**
   * The Lease does not exist. If it was deleted while it was ours, it is created as it was. If another candidate held it, that one gets
   * the time to create it again. Where neither is known it is created at once; the writer knows that it must not act on it at once.
   */
  async #create(call: CallOptions, mode: "acquire" | "renew", held: boolean): Promise<AttemptResult> {
    const { client, clock, lease: ref, me } = this.#options;
    const observed = this.#observed?.record;
    if (observed && !held) {
      this.#missingSince ??= clock.monotonic();
      if (clock.monotonic() < this.#missingSince + me.leaseDurationSeconds * 1000) return { kind: "gone" };
    }
    const known = held ? this.#lease?.metadata : undefined;
    const fresh: V1Lease = { metadata: { ...ref, labels: known?.labels, annotations: known?.annotations } };
    const record = claimedRecord(me, held ? observed : undefined, clock.now());
    const leads = held && mode === "renew";
    return this.#write(fresh, record, !leads, (lease) => client.create(Lease, lease, call));
  }

  #claim(lease: V1Lease, before: LeaseRecord, call: CallOptions): Promise<AttemptResult> {
    const { clock, me } = this.#options;
    return this.#put(lease, claimedRecord(me, before, clock.now(), this.#isOurs(before)), call);
  }

  #put(lease: V1Lease, record: LeaseRecord, call: CallOptions): Promise<AttemptResult> {
    return this.#write(lease, record, false, (written) => this.#options.client.update(Lease, written, call));
  }

  /** Our lease counts from the moment the request was sent: the response may have come much later. */
  async #write(lease: V1Lease, record: LeaseRecord, creates: boolean, send: (lease: V1Lease) => Promise<V1Lease>): Promise<AttemptResult> {
    const { clock, labels, writer } = this.#options;
    const sent = momentOn(clock);
    writer.sending(record, creates);
    const annotations = { ...this.#annotations, ...writer.annotations(record, sent.monotonic) };
    const stored = await send(withRecord(lease, record, { labels, annotations }));
    writer.stored(record, clock.monotonic());
    this.#renewed = sent;
    this.#observed = undefined;
    this.#observe(stored, record, sent.monotonic);
    return { kind: "mine", lease: stored };
  }

  #observe(lease: V1Lease, record: LeaseRecord, at = this.#options.clock.monotonic()): void {
    this.#lease = lease;
    this.#missingSince = undefined;
    const observed = observe(this.#observed, record, at);
    if (observed === this.#observed) return;
    this.#observed = observed;
    this.#options.onObserved(lease);
  }
}
