import type { Client } from "@csi-sidecars/kube";
import { type StorageControllersOptions, startStorageControllers } from "@csi-sidecars/testcluster";

/** Runs what a cluster has around a driver until it is disposed of: all of it, or what is named. */
export async function startControllers(client: Client, only?: StorageControllersOptions["only"]): Promise<AsyncDisposable> {
  const stop = new AbortController();
  const controllers = await startStorageControllers({ client, signal: stop.signal, ...(only && { only }) });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await controllers.done;
    },
  };
}
