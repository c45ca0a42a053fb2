import type { Client } from "@csi-sidecars/kube";
import { type StorageControllerName, startStorageControllers } from "../controllers/storage-controllers.ts";
import type { ClusterOptions } from "./cluster.ts";

/** Their requests are told from the test's by this user. */
export const controllersUser = "cluster-controllers";

/** The controllers that kube-controller-manager runs in a real control plane. */
const controllerManager = ["binder", "claim-protection", "volume-protection", "attach-detach", "expander", "ephemeral"] as const;
/** What a control plane without nodes lacks. */
const nodeSide = ["scheduler", "kubelet"] as const;

/** Runs the controllers of a cluster that the control plane does not run itself, until it is disposed of. */
export async function startClusterControllers(
  client: Client,
  options: ClusterOptions,
  flavour: "embedded" | "real",
): Promise<AsyncDisposable> {
  const { storageControllers = false, nodes = storageControllers } = options;
  const only: StorageControllerName[] = [
    ...(storageControllers && flavour === "embedded" ? controllerManager : []),
    ...(nodes ? nodeSide : []),
  ];
  const stop = new AbortController();
  const controllers = only.length > 0 ? await startStorageControllers({ client, signal: stop.signal, only }) : undefined;
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await controllers?.done;
    },
  };
}
