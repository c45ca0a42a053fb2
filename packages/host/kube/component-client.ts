import type { Client, EventRecorder, Informers } from "@csi-sidecars/kube";
import type { ComponentScope } from "../supervisor/component-run.ts";

/** A component's client: its unhandled errors are attributed to the component. */
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

/** The client of a component that declares to need no API server: every request fails with a message that says so. */
export function noKube(component: string): {
  readonly client: Client;
  readonly informers: Informers;
  readonly events: () => EventRecorder;
} {
  const mistake = () => new Error(`${component} declares that it needs no API server, but asks for it`);
  const reject = async (): Promise<never> => {
    throw mistake();
  };
  const fail = (): never => {
    throw mistake();
  };
  return {
    client: {
      get: reject,
      list: reject,
      watch: reject,
      create: reject,
      update: reject,
      patch: reject,
      delete: reject,
      discover: reject,
      raw: reject,
    },
    informers: { forFields: fail },
    events: fail,
  };
}
