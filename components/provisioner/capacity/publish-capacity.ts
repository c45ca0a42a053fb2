import type { ProvisionerComponentContext } from "../flags.ts";
import type { OwnNode } from "../node/own-node.ts";
import type { WatchedTopologies } from "../topology/node-topologies.ts";
import { capacityEnvironment } from "./capacity-environment.ts";
import { type RunningCapacity, startCapacity } from "./start-capacity.ts";

export interface CapacityParts {
  readonly own: OwnNode | undefined;
  readonly nodes: WatchedTopologies;
}

/** Publishes the driver's capacity as the flags say, over a client of its own: its requests never hold up those for volumes. */
export function publishCapacity(context: ProvisionerComponentContext, { own, nodes }: CapacityParts): RunningCapacity {
  const { flags, env, spelled } = context;
  const limit = {
    qps: flags.kubeApiCapacityQps,
    burst: flags.kubeApiCapacityBurst,
    limitedBy: `--${spelled("kube-api-capacity-qps")} and --${spelled("kube-api-capacity-burst")}`,
  };
  let running: RunningCapacity | undefined;
  const run = async () => {
    running = await startCapacity(
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
        topologies: nodes,
        nodeName: own?.name,
      },
    );
    await running.done;
  };
  return { done: run(), volumeChanged: (change) => running?.volumeChanged(change) };
}
