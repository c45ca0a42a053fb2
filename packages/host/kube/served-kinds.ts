import { type ApiResource, apiVersionOf, type Client, type Resource } from "@csi-sidecars/kube";

/** Which kinds the API server serves. Each group version is asked for once in a process, whichever components want to know. */
export class ServedKinds {
  readonly #lists = new Map<string, Promise<readonly ApiResource[] | undefined>>();

  /** Rejects when the server did not answer; it is not asked again. */
  async has(resource: Resource, client: Pick<Client, "discover">): Promise<boolean> {
    const groupVersion = apiVersionOf(resource);
    const list = this.#lists.get(groupVersion) ?? client.discover(groupVersion);
    this.#lists.set(groupVersion, list);
    return (await list)?.some(({ kind }) => kind === resource.kind) ?? false;
  }
}
