import type { Key } from "@csi-sidecars/kube";

/** Which claims wait for a VolumeAttributesClass, to be looked at when one of that name is created. */
export class WaitingClaims {
  readonly #classes = new Map<Key, string>();
  readonly #claims = new Map<string, Set<Key>>();

  /** How many claims wait. */
  get size(): number {
    return this.#classes.size;
  }

  add(claim: Key, className: string): void {
    this.delete(claim);
    this.#classes.set(claim, className);
    const claims = this.#claims.get(className);
    if (claims) claims.add(claim);
    else this.#claims.set(className, new Set([claim]));
  }

  delete(claim: Key): void {
    const className = this.#classes.get(claim);
    if (className === undefined) return;
    this.#classes.delete(claim);
    const claims = this.#claims.get(className);
    claims?.delete(claim);
    if (claims?.size === 0) this.#claims.delete(className);
  }

  waitingFor(className: string): Iterable<Key> {
    return this.#claims.get(className) ?? [];
  }
}
