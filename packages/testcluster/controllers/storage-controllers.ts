import { type Clock, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, createClient, EventBroadcaster, InformerFactory, type Transport, Workers } from "@csi-sidecars/kube";
import { attachDetach } from "./attach-detach/attach-detach.ts";
import { binder } from "./binder/binder.ts";
import { ephemeral } from "./ephemeral-volume.ts";
import { expander } from "./expander.ts";
import { kubelet, type NodeHooks } from "./kubelet/kubelet.ts";
import { claimProtection, volumeProtection } from "./protection/protection.ts";
import type { Controller } from "./runtime/controller.ts";
import { scheduler } from "./scheduler/scheduler.ts";

/** `scheduler` and `kubelet` stand in for programs that a real control plane without nodes lacks too. */
export type StorageControllerName =
  | "binder"
  | "claim-protection"
  | "volume-protection"
  | "attach-detach"
  | "expander"
  | "ephemeral"
  | "scheduler"
  | "kubelet";

interface CommonOptions {
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** All of them unless told. */
  readonly only?: readonly StorageControllerName[];
  /** What the stand-in kubelets let a driver's node half do. */
  readonly hooks?: NodeHooks;
}

export type StorageControllersOptions = CommonOptions & ({ readonly client: Client } | { readonly transport: Transport });

export interface StorageControllers {
  /** Settles when all work has ended after the signal's abort. */
  readonly done: Promise<void>;
}

/** How long the last events may take after the stop. */
const lastEventsMs = 1000;

/**
 * What a cluster has around CSI sidecars: binds claims, attaches volumes, protects what is in use, places and runs pods.
 * Resolves when everything that is already there is known.
 *
 * ```ts
 * const stop = new AbortController();
 * const controllers = await startStorageControllers({ client, signal: stop.signal });
 * // ...
 * stop.abort();
 * await controllers.done;
 * ```
 */
export async function startStorageControllers(options: StorageControllersOptions): Promise<StorageControllers> {
  const { signal, clock = systemClock, log = silentLogger, only, hooks } = options;
  const client =
    "client" in options
      ? options.client
      : createClient({ transport: options.transport, clock, log, name: "storage-controllers", qps: -1, burst: 0 });
  const all: Readonly<Record<StorageControllerName, Controller>> = {
    binder,
    "claim-protection": claimProtection,
    "volume-protection": volumeProtection,
    "attach-detach": attachDetach,
    expander,
    ephemeral,
    scheduler,
    kubelet: kubelet(hooks),
  };
  const chosen = only?.map((name) => all[name]) ?? Object.values(all);
  const informers = new InformerFactory({ client, clock, log });
  const events = new EventBroadcaster({ client, clock, log });
  const context = { client, informers, clock, log, recorder: (component: string) => events.recorder(component, log) };
  const loops = chosen.flatMap((controller) => controller(context));
  informers.start(signal);
  await informers.waitForSync(signal);

  const work = loops.map(async ({ queue, reconcile, concurrency, name }) => {
    const workers = new Workers({ queue, reconcile, concurrency, clock, log: log.named(name) });
    const stop = () => workers.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    await workers.run(signal);
    signal.removeEventListener("abort", stop);
  });
  return { done: Promise.all(work).then(() => events.shutDown(lastEventsMs)) };
}
