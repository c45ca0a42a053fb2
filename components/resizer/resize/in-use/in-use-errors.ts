import type { Key } from "@csi-sidecars/kube";
import { claimName } from "../../claim-key.ts";
import type { PodsByClaim, Usage } from "./pods-by-claim.ts";

/**
 * Claims whose volumes the driver does not expand while they are in use (FailedPrecondition), by `claimKey`. It is not asked again
 * while a pod uses them. Without `pods` nothing is remembered (`--handle-volume-inuse-error=false`).
 */
export class InUseErrors {
  readonly #pods: PodsByClaim | undefined;
  readonly #claims = new Set<Key>();
  /** Those of them that an attempt was made for before the pods were listed. */
  readonly #heldBack = new Set<Key>();

  constructor(pods: PodsByClaim | undefined) {
    this.#pods = pods;
  }

  get size(): number {
    return this.#claims.size;
  }

  /** The driver said so. Pods are watched from now on, so that the end of the last one is noticed. */
  add(key: Key): void {
    if (!this.#pods) return;
    this.#claims.add(key);
    this.#pods.watch();
  }

  has(key: Key): boolean {
    return this.#claims.has(key);
  }

  /** The driver answered something else, or the claim is gone. */
  delete(key: Key): void {
    this.#claims.delete(key);
    this.#heldBack.delete(key);
  }

  /** Now that pods are listed: the claims whose attempt was held back for no reason. */
  takeUnused(): readonly Key[] {
    const heldBack = [...this.#heldBack];
    this.#heldBack.clear();
    return heldBack.filter((key) => this.usage(key) === "unused");
  }

  /** Whether pods use a claim that the driver refused; `unused` for all others. */
  usage(key: Key): Usage {
    const usage = this.#claims.has(key) && this.#pods ? this.#pods.usage(claimName(key)) : "unused";
    if (usage === "unknown") this.#heldBack.add(key);
    return usage;
  }
}
