import { refKey } from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";

type Uid = string;

/**
 * What the users of claims were told, by the uids of the claims: only of those that are not known to be healthy. A recovery is told
 * once, to those who were told that the volume is abnormal, also by an earlier process.
 */
export class ClaimConditions {
  /** Abnormal by their last check; the values are the claims' keys. */
  readonly #abnormal = new Map<Uid, string>();
  /** Reported as abnormal, and not checked since this process started or since their volume is gone. */
  readonly #reported = new Set<Uid>();
  /** Those that were told something before the earlier reports were known; `undefined` from then on. */
  #told: Set<Uid> | undefined = new Set();

  /** The claims whose volume is abnormal by its last check, as `namespace/name`; those that are it the longest come first. */
  get abnormalClaims(): { readonly size: number; keys(): Iterable<string> } {
    const { size } = this.#abnormal;
    return { size, keys: () => this.#abnormal.values() };
  }

  /** How many claims were told that their volume is abnormal, and not that it is healthy again. */
  get reported(): number {
    return this.#abnormal.size + this.#reported.size;
  }

  isReported({ metadata: { uid } }: Claim): boolean {
    return this.#abnormal.has(uid) || this.#reported.has(uid);
  }

  /** Its users are told that the volume is abnormal. */
  markAbnormal({ metadata }: Claim): void {
    this.#abnormal.set(metadata.uid, refKey(metadata));
    this.#reported.delete(metadata.uid);
    this.#told?.add(metadata.uid);
  }

  /** The volume is healthy. Returns whether its users are to be told. */
  markNormal({ metadata: { uid } }: Claim): boolean {
    const isRecovery = this.#abnormal.delete(uid) || this.#reported.delete(uid);
    if (isRecovery) this.#told?.add(uid);
    return isRecovery;
  }

  /** The claims that earlier processes reported as abnormal and did not report as recovered. What was told since is newer. */
  addEarlierReports(uids: Iterable<Uid>): void {
    for (const uid of uids) if (!this.#told?.has(uid)) this.#reported.add(uid);
    this.#told = undefined;
  }

  /** Nobody checks its volume any more; its users were told all the same, should there be one again. */
  volumeGone({ metadata: { uid } }: Claim): void {
    if (this.#abnormal.delete(uid)) this.#reported.add(uid);
  }

  claimGone({ metadata: { uid } }: Claim): void {
    this.#abnormal.delete(uid);
    this.#reported.delete(uid);
    this.#told?.delete(uid);
  }
}
