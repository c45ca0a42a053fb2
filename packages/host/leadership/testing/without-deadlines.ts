import type { CallOptions, LeaseClient } from "@csi-sidecars/kube";

/** For users with a clock of their own: the client's is the real one, on which their deadlines mean nothing. */
export function withoutDeadlines(client: LeaseClient): LeaseClient {
  const without = <Options extends CallOptions>(options: Options | undefined) => options && { ...options, deadline: undefined };
  return {
    get: (resource, ref, options) => client.get(resource, ref, without(options)),
    create: (resource, object, options) => client.create(resource, object, without(options)),
    update: (resource, object, options) => client.update(resource, object, without(options)),
  };
}
