import { type Client, type Resource, TransportError } from "@csi-sidecars/kube";

/** What a client does with one object. */
export type ObjectVerb = "get" | "create" | "update" | "patch" | "delete";

/** Sends the request, or does something else instead. */
type Intercept = <R>(verb: ObjectVerb, resource: Pick<Resource, "plural">, send: () => Promise<R>, subresource?: "status") => Promise<R>;

/** A client whose requests about single objects go through `ask`. */
export function interceptedClient(client: Client, ask: Intercept): Client {
  return {
    ...client,
    get: (resource, ref, options) => ask("get", resource, () => client.get(resource, ref, options)),
    create: (resource, object, options) => ask("create", resource, () => client.create(resource, object, options)),
    update: (resource, object, options) => ask("update", resource, () => client.update(resource, object, options), options?.subresource),
    patch: (resource, ref, patch, options) =>
      ask("patch", resource, () => client.patch(resource, ref, patch, options), options?.subresource),
    delete: (resource, ref, options) => ask("delete", resource, () => client.delete(resource, ref, options)),
  };
}

/** What a request fails with when its connection was lost. */
export const connectionReset = () => new TransportError("reset", "connection reset by peer");
