import { silentLogger, systemClock } from "@csi-sidecars/base";
import { runAll } from "@csi-sidecars/controller";
import { type Client, EventBroadcaster, InformerFactory } from "@csi-sidecars/kube";
import { attachDetach } from "./attach-detach/attach-detach.ts";
import { binder } from "./binder/binder.ts";
import { ephemeralVolume } from "./ephemeral-volume.ts";
import { expander } from "./expander.ts";
import { kubelet, type NodeHooks } from "./kubelet/kubelet.ts";
import { claimProtection, volumeProtection } from "./protection/protection.ts";
import type { ClusterContext, ClusterController } from "./runtime/cluster-controller.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { deployments } from "./workloads/deployment.ts";
import { jobs } from "./workloads/job.ts";
import { replicaSets } from "./workloads/replica-set.ts";
import { statefulSets } from "./workloads/stateful-set.ts";

/** `scheduler` and `kubelet` stand in for programs that a real control plane without nodes lacks too. */
export type StorageControllerName =
  | "binder"
  | "claim-protection"
  | "volume-protection"
  | "attach-detach"
  | "expander"
  | "ephemeral"
  | "statefulset"
  | "deployment"
  | "replicaset"
  | "job"
  | "scheduler"
  | "kubelet";

export interface StorageControllersOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** All of them unless given. */
  readonly only?: readonly StorageControllerName[];
  /** What the stand-in kubelets let a driver's node service do. */
  readonly hooks?: NodeHooks;
}

export interface StorageControllers {
  /** Settles when all work has ended after the signal's abort. */
  readonly done: Promise<void>;
}

/** How long the last events may take after the stop. */
const lastEventsMs = 1000;

/**
 * The controllers of a cluster that CSI sidecars depend on: they bind claims, attach volumes, protect what is in use, make pods of
 * workloads, schedule and run them. Resolves when their caches have synced.
 *
 * ```ts
 * const stop = new AbortController();
 * const controllers = await startStorageControllers({ client, signal: stop.signal });
 * // ...
 * stop.abort();
 * await controllers.done;
 * ```
 */
export async function startStorageControllers({ client, signal, only, hooks }: StorageControllersOptions): Promise<StorageControllers> {
  const all: Readonly<Record<StorageControllerName, ClusterController>> = {
    binder,
    "claim-protection": claimProtection,
    "volume-protection": volumeProtection,
    "attach-detach": attachDetach,
    expander,
    ephemeral: ephemeralVolume,
    statefulset: statefulSets,
    deployment: deployments,
    replicaset: replicaSets,
    job: jobs,
    scheduler,
    kubelet: kubelet(hooks),
  };
  const [clock, log] = [systemClock, silentLogger];
  const informers = new InformerFactory({ client, clock, log });
  const events = new EventBroadcaster({ client, clock, log });
  const context: ClusterContext = { client, informers, clock, log, recorder: (component) => events.recorder(component, log) };
  const chosen = only?.map((name) => all[name]) ?? Object.values(all);
  const controllers = chosen.map((controller) => controller(context));
  informers.start(signal);
  await informers.waitForSync(signal);
  const work = runAll(
    controllers.map((run) => run(signal)),
    signal,
  );
  return { done: work.then(() => events.shutDown(lastEventsMs)) };
}
