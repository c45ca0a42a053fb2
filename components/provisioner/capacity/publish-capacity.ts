import type { ProvisionerComponentContext } from "../flags.ts";
import type { LocalNode } from "../node/local-node.ts";
import type { WatchedTopologies } from "../topology/node-topologies.ts";
import { capacityEnvironment } from "./capacity-environment.ts";
import { type RunningCapacity, startCapacity } from "./start-capacity.ts";
import type { VolumeChange } from "./volume-change.ts";

export interface CapacityParts {
  readonly localNode: LocalNode | undefined;
  readonly topologies: WatchedTopologies;
}

/** Publishes the driver's capacity as the flags say, over a client of its own: its requests never delay those for volumes. */
export class CapacityPublisher {
  readonly #context: ProvisionerComponentContext;
  readonly #parts: CapacityParts;
  #running: RunningCapacity | undefined;

  constructor(context: ProvisionerComponentContext, parts: CapacityParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Has no effect before it runs: then all capacities are new anyway. */
  volumeChanged(change: VolumeChange): void {
    this.#running?.volumeChanged(change);
  }

  async run(): Promise<void> {
    const context = this.#context;
    const { localNode, topologies } = this.#parts;
    const { flags, env, spelled } = context;
    const limit = {
      qps: flags.kubeApiCapacityQps,
      burst: flags.kubeApiCapacityBurst,
      limitedBy: `--${spelled("kube-api-capacity-qps")} and --${spelled("kube-api-capacity-burst")}`,
    };
    this.#running = await startCapacity(
      { ...context, kube: context.kubeFor("capacity", limit) },
      {
        ...capacityEnvironment(env, flags.capacityOwnerrefLevel),
        ownerLevel: flags.capacityOwnerrefLevel,
        threads: flags.capacityThreads,
        pollIntervalMs: flags.capacityPollInterval,
        immediateBinding: flags.capacityForImmediateBinding,
        timeoutMs: flags.timeout,
        retryStartMs: flags.retryIntervalStart,
        retryMaxMs: flags.retryIntervalMax,
        topologies,
        nodeName: localNode?.name,
      },
    );
    await this.#running.done;
  }
}
