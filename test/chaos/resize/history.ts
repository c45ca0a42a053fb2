/** Why a claim may be looked at again: what somebody other than the resizer did to it. */
export interface Reason {
  /** The claim's name; all claims if not given. */
  readonly claim?: string;
  readonly kind: "size" | "class" | "recreated" | "pod" | "kubelet";
  /** When it was begun and when it was known to be done, in monotonic milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** A pod that used a claim. */
export interface PodUse {
  readonly claim: string;
  /** When the pod certainly existed. */
  readonly from: number;
  /** When its deletion was requested; infinity before that. */
  to: number;
}

/** The API server, or the way to it, was away. */
export interface Outage {
  readonly from: number;
  /** Infinity while it lasts. */
  to: number;
}

/** What happened in a run beside the calls of the driver. */
export class History {
  readonly reasons: Reason[] = [];
  readonly uses: PodUse[] = [];
  readonly outages: Outage[] = [];

  /** Does something that is a reason. It counts even if it fails: it may have been done all the same. */
  async reason<T>(kind: Reason["kind"], claim: string | undefined, act: () => Promise<T>): Promise<T> {
    const from = performance.now();
    try {
      return await act();
    } finally {
      this.reasons.push({ ...(claim !== undefined && { claim }), kind, from, to: performance.now() });
    }
  }

  async outage(act: () => Promise<unknown>): Promise<void> {
    const outage: Outage = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.outages.push(outage);
    await act();
    outage.to = performance.now();
  }
}
