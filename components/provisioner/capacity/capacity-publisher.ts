import type { Environment } from "@csi-sidecars/kube";
import type { ProvisionerComponentContext } from "../flags.ts";
import type { LocalNode } from "../node/local-node.ts";
import type { WatchedTopologies } from "../topology/node-topologies.ts";
import type { VolumeChange } from "./affected-items.ts";
import { type RunningCapacity, startCapacity } from "./start-capacity.ts";

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
    const { flags, env, flagName } = context;
    const limit = {
      qps: flags.kubeApiCapacityQps,
      burst: flags.kubeApiCapacityBurst,
      limitedBy: `--${flagName("kube-api-capacity-qps")} and --${flagName("kube-api-capacity-burst")}`,
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
        retryIntervals: flags,
        topologies,
        nodeName: localNode?.name,
      },
    );
    await this.#running.done;
  }
}

/** The namespace of the objects, and this pod, which may own them. */
export interface CapacityEnvironment {
  readonly namespace: string;
  /** Empty only where the objects have no owner. */
  readonly podName: string;
}

/** The environment variables that the pod's manifest lacks. */
export function missingCapacityEnvironment(
  { NAMESPACE: namespace, POD_NAME: podName }: Environment,
  ownerLevel: number,
): readonly string[] {
  return [
    ...(namespace ? [] : ["need NAMESPACE env variable for CSIStorageCapacity objects"]),
    ...(podName || ownerLevel < 0 ? [] : ["need POD_NAME env variable to determine CSIStorageCapacity owner"]),
  ];
}

/** Throws what is missing. */
export function capacityEnvironment(env: Environment, ownerLevel: number): CapacityEnvironment {
  const [problem] = missingCapacityEnvironment(env, ownerLevel);
  if (problem !== undefined) throw new Error(problem);
  const { NAMESPACE: namespace = "", POD_NAME: podName = "" } = env;
  return { namespace, podName };
}
