import type { Key } from "@csi-sidecars/kube";

interface Attempt {
  /** Where volumes are being provisioned for the pod now. */
  node: string;
  readonly failed: Set<string>;
  failures: number;
}

const none: ReadonlySet<string> = new Set();

/** The nodes on which provisioning for a pod was tried: a provisioner that gives up removes `selected-node`. */
export class ProvisioningAttempts {
  readonly #attempts = new Map<Key, Attempt>();

  failedNodes(pod: Key): ReadonlySet<string> {
    return this.#attempts.get(pod)?.failed ?? none;
  }

  /** The provisioner removed the selected node: how long to wait before the next choice. */
  gaveUp(pod: Key): number {
    const attempt = this.#attempts.get(pod);
    if (!attempt || attempt.node === "") return 0;
    attempt.failed.add(attempt.node);
    attempt.node = "";
    attempt.failures++;
    return attempt.failures < 2 ? 0 : Math.min(1000 * 2 ** (attempt.failures - 2), 10_000);
  }

  chose(pod: Key, node: string): void {
    const attempt = this.#attempts.get(pod);
    if (attempt) attempt.node = node;
    else this.#attempts.set(pod, { node, failed: new Set(), failures: 0 });
  }

  forget(pod: Key): void {
    this.#attempts.delete(pod);
  }
}
