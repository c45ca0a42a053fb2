import { systemClock } from "@csi-sidecars/base";
import type { Cluster } from "@csi-sidecars/testcluster";
import { consolidatedLease, leaseNamed } from "../e2e/testing/election.ts";

/** A change of the lease as it was seen from outside, in monotonic milliseconds. */
export interface LeaseChange {
  /** When the lease was last seen without it. */
  readonly after: number;
  /** When it was first seen. */
  readonly seenAt: number;
  /** Empty when the lease was released. */
  readonly holder: string;
}

/** The lease of the replicas lasts 3 s. The last one of them is for candidates that see renewals late: its holder does not act in it. */
const certainMs = 2_000;

/**
 * The last moment, at or before `at`, when the replica may have been certain to lead. A holder counts from before the request that renews
 * the lease, so that its time is up at the latest `certainMs` after the renewal was seen.
 */
export function certainUntil(changes: readonly LeaseChange[], replica: string, at: number): number {
  const ends = changes.map(({ after, seenAt, holder }, i) => {
    if (holder !== replica || after > at) return Number.NEGATIVE_INFINITY;
    const next = changes[i + 1];
    const givenAway = next && next.holder !== replica ? next.seenAt : Number.POSITIVE_INFINITY;
    return Math.min(at, seenAt + certainMs, givenAway);
  });
  return Math.max(Number.NEGATIVE_INFINITY, ...ends);
}

const pauseMs = 50;

/** Records who holds the lease when. */
export class LeaseHistory implements AsyncDisposable {
  readonly changes: LeaseChange[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(cluster: Cluster) {
    this.#running = this.#run(cluster);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(cluster: Cluster): Promise<void> {
    let after = performance.now();
    let version: string | undefined;
    while (!this.#stop.signal.aborted) {
      const asked = performance.now();
      const lease = await leaseNamed(cluster, consolidatedLease).catch(() => undefined);
      if (lease && lease.metadata?.resourceVersion !== version) {
        version = lease.metadata?.resourceVersion;
        this.changes.push({ after, seenAt: performance.now(), holder: lease.spec?.holderIdentity ?? "" });
      }
      if (lease) after = asked;
      await systemClock.sleep(pauseMs, this.#stop.signal).catch(() => undefined);
    }
  }
}
