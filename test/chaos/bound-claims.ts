import { systemClock } from "@csi-sidecars/base";
import { PersistentVolumeClaim, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";
import { inDefault, requestTimeout } from "./claims.ts";

/**
 * Which claims are bound, by one watch: hundreds of claims wait at the same time, and a request of each, again and again, would keep the
 * API server from its work.
 */
export class BoundClaims implements AsyncDisposable {
  readonly #bound = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor({ admin }: Cluster) {
    this.#running = this.#follow(admin);
  }

  /** Whether the claim is bound within the limit. */
  async isBound(name: string, limitMs: number): Promise<boolean> {
    if (this.#bound.has(name)) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(name, resolve);
    const timeout = new AbortController();
    await Promise.race([promise, systemClock.sleep(limitMs, timeout.signal).catch(() => undefined)]);
    timeout.abort();
    this.#waiting.delete(name);
    return this.#bound.has(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #follow(admin: Cluster["admin"]): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const { metadata, items } = await admin.list(PersistentVolumeClaim, { ...requestTimeout, signal });
        for (const claim of items) this.#note(claim);
        const { namespace } = inDefault("");
        const events = await admin.watch(PersistentVolumeClaim, { namespace, resourceVersion: metadata.resourceVersion ?? "0", signal });
        for await (const { type, object } of events) if (type === "ADDED" || type === "MODIFIED") this.#note(object);
      } catch {
        await systemClock.sleep(200, signal).catch(() => undefined);
      }
    }
  }

  #note({ metadata, status }: V1PersistentVolumeClaim): void {
    const { name = "" } = metadata ?? {};
    if (status?.phase !== "Bound") return;
    this.#bound.add(name);
    this.#waiting.get(name)?.();
  }
}
