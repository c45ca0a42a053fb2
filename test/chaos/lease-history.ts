import { systemClock } from "@csi-sidecars/base";
import type { Cluster } from "@csi-sidecars/testcluster";
import { consolidatedLease, leaseNamed } from "../e2e/testing/election.ts";

/** A change of the lease as it was seen from outside. */
export interface LeaseChange {
  /** Monotonic milliseconds: it happened at this time or before. */
  readonly seenAt: number;
  readonly holder: string;
  readonly renewTime: string;
}

const pauseMs = 50;

/**
 * Who held the lease when. A holder counts its time from before the request that renews the lease, so that it has stopped to be certain
 * of its leadership `certainMs` after the renewal was seen here.
 */
export class LeaseHistory implements AsyncDisposable {
  readonly changes: LeaseChange[] = [];
  readonly #certainMs: number;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  /** `certainMs`: how long after a renewal its holder acts at most. */
  constructor(cluster: Cluster, certainMs: number) {
    this.#certainMs = certainMs;
    this.#running = this.#run(cluster);
  }

  /** The last moment, at or before `at`, when the replica may have been certain to lead. */
  certainUntil(replica: string, at: number): number {
    let certain = Number.NEGATIVE_INFINITY;
    for (const [i, { seenAt, holder }] of this.changes.entries()) {
      if (seenAt - this.#certainMs > at) break;
      if (holder !== replica) continue;
      // A renewal may have been seen late: the work under it can have begun since the lease was last seen without it.
      const writtenAfter = this.changes[i - 1]?.seenAt ?? Number.NEGATIVE_INFINITY;
      if (writtenAfter <= at) certain = Math.max(certain, Math.min(at, this.#endOf(i)));
    }
    return certain;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** When the holder of a change stopped to be certain: its time was up, or it had given the lease away. */
  #endOf(index: number): number {
    const change = this.changes[index];
    const next = this.changes[index + 1];
    const expires = (change?.seenAt ?? 0) + this.#certainMs;
    return next && next.holder !== change?.holder ? Math.min(expires, next.seenAt) : expires;
  }

  async #run(cluster: Cluster): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const lease = await leaseNamed(cluster, consolidatedLease).catch(() => undefined);
      const { holderIdentity: holder = "", renewTime = "" } = lease?.spec ?? {};
      const last = this.changes.at(-1);
      if (lease && (last?.holder !== holder || last.renewTime !== renewTime))
        this.changes.push({ seenAt: performance.now(), holder, renewTime });
      await systemClock.sleep(pauseMs, this.#stop.signal).catch(() => undefined);
    }
  }
}
