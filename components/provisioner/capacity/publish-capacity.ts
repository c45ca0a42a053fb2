import type { View } from "@csi-sidecars/kube";
import { isVolumeOurs } from "../delete/plan-volume.ts";
import type { DriverFacts } from "../driver-facts.ts";
import type { Volume } from "../fields.ts";
import type { ProvisionerComponentContext } from "../flags.ts";
import type { OwnNode } from "../node/own-node.ts";
import type { WatchedTopologies } from "../topology/node-topologies.ts";
import { capacityEnvironment } from "./capacity-environment.ts";
import { pacedClient } from "./paced-client.ts";
import { startCapacity } from "./start-capacity.ts";

export interface CapacityParts {
  readonly facts: DriverFacts;
  readonly own: OwnNode | undefined;
  readonly nodes: WatchedTopologies | undefined;
}

/** Publishes the driver's capacity, and looks it up again where a volume came or went. */
export async function publishCapacity(context: ProvisionerComponentContext, volumes: View<Volume>, parts: CapacityParts): Promise<void> {
  const { flags, env, clock } = context;
  const { facts, own, nodes } = parts;
  if (!nodes) return;
  const kube = pacedClient(context.kube, { qps: flags.kubeApiCapacityQps, burst: flags.kubeApiCapacityBurst }, clock);
  const running = await startCapacity(
    { ...context, kube },
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
  const changed = (volume: Volume) => {
    if (!isVolumeOurs(volume, facts)) return;
    running.volumeChanged({ className: volume.spec?.storageClassName, nodeAffinity: volume.spec?.nodeAffinity });
  };
  volumes.addHandler({ onAdd: (volume, { initial }) => void (initial || changed(volume)), onDelete: changed }, { name: "capacity" });
  await running.done;
}
