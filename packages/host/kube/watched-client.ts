import type { Client } from "@csi-sidecars/kube";
import type { ComponentScope } from "../supervisor/component-scope.ts";

/** A component's client: an error of it that nobody catches is known to be the component's. */
export function watchedClient(client: Client, scope: ComponentScope): Client {
  return {
    get: (...call) => scope.watch(client.get(...call)),
    list: (...call) => scope.watch(client.list(...call)),
    watch: (...call) => scope.watch(client.watch(...call)),
    create: (...call) => scope.watch(client.create(...call)),
    update: (...call) => scope.watch(client.update(...call)),
    patch: (...call) => scope.watch(client.patch(...call)),
    delete: (...call) => scope.watch(client.delete(...call)),
    discover: (...call) => scope.watch(client.discover(...call)),
    raw: (...call) => scope.watch(client.raw(...call)),
  };
}
