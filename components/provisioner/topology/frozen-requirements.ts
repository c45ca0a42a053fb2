import type { TopologyRequirement } from "@csi-sidecars/csi";

/**
 * What CreateVolume was called with, as long as the call may be running: its retries must say the same although nodes come, go and change
 * their labels meanwhile. Memory only: a restart may lose it.
 *
 * Freeze right before the call; forget when the driver gave a final answer, and when the claim is gone and nothing is in progress.
 */
export class FrozenRequirements {
  readonly #entries = new Map<string, { readonly node: string; readonly requirement: TopologyRequirement | undefined }>();

  get size(): number {
    return this.#entries.size;
  }

  /** For another node than before nothing is known: the volume is to be where the claim's consumer will run. */
  get(claimUid: string, selectedNode: string | undefined): { readonly requirement: TopologyRequirement | undefined } | undefined {
    const entry = this.#entries.get(claimUid);
    return entry?.node === (selectedNode ?? "") ? entry : undefined;
  }

  freeze(claimUid: string, selectedNode: string | undefined, requirement: TopologyRequirement | undefined): void {
    this.#entries.set(claimUid, { node: selectedNode ?? "", requirement: structuredClone(requirement) });
  }

  forget(claimUid: string): void {
    this.#entries.delete(claimUid);
  }
}
