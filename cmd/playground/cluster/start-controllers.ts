import type { Client } from "@csi-sidecars/kube";
import { type NodeHooks, type StorageControllersOptions, startStorageControllers } from "@csi-sidecars/testcluster";

export interface ControllersPlan {
  /** All of them unless told. */
  readonly only?: StorageControllersOptions["only"];
  /** What the kubelets let the driver do; nothing unless told. */
  readonly hooks?: (admin: Client) => NodeHooks;
}

/** Runs what a cluster has around a driver until it is disposed of. */
export async function startControllers(client: Client, { only, hooks }: ControllersPlan): Promise<AsyncDisposable> {
  const stop = new AbortController();
  const { signal } = stop;
  const controllers = await startStorageControllers({ client, signal, ...(only && { only }), ...(hooks && { hooks: hooks(client) }) });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await controllers.done;
    },
  };
}
