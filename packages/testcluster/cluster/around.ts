import type { Client } from "@csi-sidecars/kube";
import { type StorageControllerName, startStorageControllers } from "../controllers/start.ts";
import type { ClusterOptions } from "./cluster.ts";

/** What kube-controller-manager runs in a real control plane. */
const managed = ["binder", "claim-protection", "volume-protection", "attach-detach", "expander", "ephemeral"] as const;
/** What a real control plane without nodes lacks. */
const nodeSide = ["scheduler", "kubelet"] as const;

/** Runs what a cluster has around CSI sidecars, as far as the server does not bring it along, until it is disposed of. */
export async function startAround(client: Client, options: ClusterOptions, flavour: "embedded" | "real"): Promise<AsyncDisposable> {
  const { storageControllers = false, nodes = storageControllers } = options;
  const only: StorageControllerName[] = [...(storageControllers && flavour === "embedded" ? managed : []), ...(nodes ? nodeSide : [])];
  const stop = new AbortController();
  const controllers = only.length > 0 ? await startStorageControllers({ client, signal: stop.signal, only }) : undefined;
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await controllers?.done;
    },
  };
}
