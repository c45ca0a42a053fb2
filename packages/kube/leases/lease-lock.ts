import type { Clock, Logger } from "@csi-sidecars/base";
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

/** What an election needs: deployed roles grant get, create and update on leases, not patch. */
export type LeaseClient = Pick<Client, "get" | "create" | "update">;

export interface LeaseLockOptions {
  readonly client: LeaseClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly me: Candidate;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The record differs from the one observed before. */
  onObserved(lease: V1Lease): void;
  onSlowPath(): void;
}

export type AttemptResult =
  | { readonly kind: "mine"; readonly lease: V1Lease }
  | { readonly kind: "theirs"; readonly holder: string }
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
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#annotations = options.annotations;
  }

  /** As last read or written. */
  get lease(): V1Lease | undefined {
    return this.#lease;
  }

  get observed(): Observation | undefined {
    return this.#observed;
  }

  /** When the last successful write was sent: other candidates count the lease from a later moment. */
  get renewedAt(): number {
    return this.#renewedAt;
  }

  get isMine(): boolean {
    return this.#observed?.record.holderIdentity === this.#options.me.identity;
  }

  /** Written with the next attempt and with every one after it. */
  setAnnotations(annotations: Readonly<Record<string, string>>): void {
    this.#annotations = { ...this.#annotations, ...annotations };
  }

  /** Takes the lease if it is free or expired, renews it if it is ours. */
  async acquire(call: CallOptions): Promise<AttemptResult> {
    return this.#attempt(call, "acquire");
  }

  /** Renews the lease. One with another holder, even an empty one, is lost: another candidate may have led in between. */
  async renew(call: CallOptions): Promise<AttemptResult> {
    return this.#attempt(call, "renew");
  }

  /** Releases the lease. `false` when it is not ours any more. */
  async release(call: CallOptions): Promise<boolean> {
    const { client, clock, lease: ref, me } = this.#options;
    const lease = await client.get(Lease, ref, call);
    const before = recordOf(lease);
    if (before.holderIdentity !== me.identity) return false;
    await this.#put(lease, releasedRecord(before, clock.now()), call);
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    return true;
  }

  async #attempt(call: CallOptions, mode: "acquire" | "renew"): Promise<AttemptResult> {
    const { clock, log, me } = this.#options;
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
      if (!lease) return await this.#create(call, held);
      const record = recordOf(lease);
      this.#observe(lease, record);
      const { holderIdentity: holder } = record;
      const left = holder !== "" && this.#observed && isValid(this.#observed, clock.monotonic());
      if (holder !== me.identity && (left || mode === "renew")) return { kind: "theirs", holder };
      if (holder === me.identity) this.#options.onSlowPath();
      return await this.#claim(lease, record, call);
    } catch (error) {
      if (call.signal?.aborted) log.v(4).info("The attempt to acquire or renew the lease was cancelled", { error: String(error) });
      else log.error(error, "Failed to acquire or renew the lease");
      return { kind: "failed", error };
    }
  }

  /** Whether it has been ours without interruption since our last confirmed write: one that was only read may be about to expire. */
  #isHeld(): boolean {
    const { clock, me } = this.#options;
    return this.isMine && clock.monotonic() < this.#renewedAt + me.leaseDurationSeconds * 1000;
  }

  #read(call: CallOptions): Promise<V1Lease | undefined> {
    return ignoreNotFound(this.#options.client.get(Lease, this.#options.lease, call));
  }

  /**
   * The Lease does not exist. If it was deleted while it was ours, it is created as it was. If another candidate held it, that one may
   * still be working: it gets the time to create the Lease again, or to notice that it cannot.
   */
  async #create(call: CallOptions, held: boolean): Promise<AttemptResult> {
    const { client, clock, lease: ref, me, labels } = this.#options;
    const observed = this.#observed?.record;
    if (observed && !held) {
      this.#missingSince ??= clock.monotonic();
      if (clock.monotonic() < this.#missingSince + me.leaseDurationSeconds * 1000) return { kind: "gone" };
    }
    const known = held ? this.#lease?.metadata : undefined;
    const fresh: V1Lease = { metadata: { ...ref, labels: known?.labels, annotations: known?.annotations } };
    const record = claimedRecord(me, held ? observed : undefined, clock.now());
    const sentAt = clock.monotonic();
    const stored = await client.create(Lease, withRecord(fresh, record, { labels, annotations: this.#annotations }), call);
    return this.#written(stored, record, sentAt);
  }

  async #claim(lease: V1Lease, before: LeaseRecord, call: CallOptions): Promise<AttemptResult> {
    return this.#put(lease, claimedRecord(this.#options.me, before, this.#options.clock.now()), call);
  }

  async #put(lease: V1Lease, record: LeaseRecord, call: CallOptions): Promise<AttemptResult> {
    const { client, clock, labels } = this.#options;
    const sentAt = clock.monotonic();
    const stored = await client.update(Lease, withRecord(lease, record, { labels, annotations: this.#annotations }), call);
    return this.#written(stored, record, sentAt);
  }

  /** Our lease counts from the moment the request was sent: the response may have come much later. */
  #written(stored: V1Lease, record: LeaseRecord, sentAt: number): AttemptResult {
    this.#renewedAt = sentAt;
    this.#observed = undefined;
    this.#observe(stored, record, sentAt);
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
