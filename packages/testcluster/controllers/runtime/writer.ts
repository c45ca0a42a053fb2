import { isLaterVersion } from "@csi-sidecars/controller";
import { type Client, type KubeObject, mergePatch, type Resource } from "@csi-sidecars/kube";

/** An object as a cache holds it. */
interface Known {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string; readonly resourceVersion: string };
}

/**
 * Patches with the version that was read as a precondition, and remembers what it wrote until the cache shows it: a reconcile that reads
 * the state before our own write would only plan the same write again. Unlike an assume cache it does not answer reads, so that
 * indexes and the objects they find are always of one cache.
 */
export class Writer {
  readonly #client: Client;
  readonly #written = new Map<string, string>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Whether the cache does not show our last write to this object yet: its event is on the way. */
  isStale({ metadata: { uid, resourceVersion } }: Known): boolean {
    const written = this.#written.get(uid);
    if (written === undefined) return false;
    if (isLaterVersion(written, resourceVersion)) return true;
    this.#written.delete(uid);
    return false;
  }

  /** Patches on top of our own earlier writes, if there are any, otherwise on top of the version read. */
  async patch<T extends KubeObject>(
    resource: Resource<T>,
    { metadata }: Known,
    part: "object" | "status",
    body: object,
    signal?: AbortSignal,
  ): Promise<void> {
    const { name, namespace, uid } = metadata;
    const resourceVersion = this.#written.get(uid) ?? metadata.resourceVersion;
    const conditional = { ...body, metadata: { ...("metadata" in body ? (body.metadata as object) : {}), resourceVersion } };
    try {
      const answer = await this.#client.patch(resource, { name, namespace }, mergePatch(conditional), {
        signal,
        ...(part === "status" && { subresource: "status" }),
      });
      const written = answer.metadata?.resourceVersion;
      if (written !== undefined && written !== metadata.resourceVersion) this.#written.set(uid, written);
    } catch (error) {
      this.#written.delete(uid);
      throw error;
    }
  }

  /** The object is deleted: no event will show our last write. */
  forget({ metadata }: Known): void {
    this.#written.delete(metadata.uid);
  }
}
