import { until } from "@csi-sidecars/base/testing";
import { type Client, Event, type KubeObject, type ObjectRef, type Resource } from "@csi-sidecars/kube";
import { startCluster } from "../../cluster/start-cluster.ts";
import { type StorageControllersOptions, startStorageControllers } from "../storage-controllers.ts";

/** A cluster with storage controllers: ours on the embedded server, kube-controller-manager on a real one. */
export interface StorageCluster extends AsyncDisposable {
  readonly client: Client;
  /** The object as soon as the condition holds. */
  until<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, is: (object: T) => unknown): Promise<T>;
  untilGone<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): Promise<void>;
  /** An event with this reason about the object. */
  untilEvent(about: string, reason: string): Promise<string>;
}

const deadlineMs = 20_000;

export async function startStorageCluster({
  hooks,
  only = ["scheduler", "kubelet"],
}: Pick<StorageControllersOptions, "hooks" | "only"> = {}): Promise<StorageCluster> {
  const cluster = await startCluster({ storageControllers: true, nodes: false });
  const client = cluster.admin;
  const stop = new AbortController();
  const controllers = await startStorageControllers({ client, signal: stop.signal, only, ...(hooks && { hooks }) });

  const poll = <R>(what: string, look: () => Promise<R | undefined>) => until(what, look, deadlineMs);
  const get = <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef) => client.get(resource, ref).catch(() => undefined);

  return {
    client,
    until: (resource, ref, is) =>
      poll(`${resource.kind} ${ref.name}: ${is}`, async () => {
        const object = await get(resource, ref);
        return object && is(object) ? object : undefined;
      }),
    async untilGone(resource, ref) {
      await poll(`the end of ${resource.kind} ${ref.name}`, async () => ((await get(resource, ref)) ? undefined : true));
    },
    untilEvent: (about, reason) =>
      poll(`event ${reason} about ${about}`, async () => {
        const { items } = await client.list(Event);
        return items.find((event) => event.involvedObject.name === about && event.reason === reason)?.message;
      }),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await controllers.done;
      await cluster[Symbol.asyncDispose]();
    },
  };
}
