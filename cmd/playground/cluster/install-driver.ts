import { systemClock } from "@csi-sidecars/base";
import { type Client, CSIDriver, CSINode, StorageClass, wellKnownAnnotation } from "@csi-sidecars/kube";
import type { Driver } from "../driver/driver.ts";
import type { DriverFacts } from "../driver/driver-facts.ts";
import { ensure } from "./ensure.ts";
import { ensureNode } from "./ensure-node.ts";
import type { PlannedNode } from "./planned-nodes.ts";

export const className = "playground";

/** Whether CSIStorageCapacity objects are worth having: where a volume is made depends on its consumer. */
export const publishesCapacity = ({ provisions, topology, tellsCapacity }: DriverFacts) => provisions && topology && tellsCapacity;

/** Where a class has to wait for the consumer of a claim. */
const bindingMode = ({ topology }: DriverFacts) => (topology ? "WaitForFirstConsumer" : "Immediate");

/** What an installed driver brings to a cluster: its CSIDriver, nodes that know it, and a default class. */
export async function installDriver(admin: Client, nodes: readonly PlannedNode[], driver: Driver): Promise<void> {
  const { facts } = driver;
  const { name: provisioner, attaches: attachRequired } = facts;
  await ensure(admin, CSIDriver, { metadata: { name: provisioner }, spec: { attachRequired, storageCapacity: publishesCapacity(facts) } });
  if (facts.provisions) {
    const annotations = { [wellKnownAnnotation.defaultClass]: "true" };
    const metadata = { name: className, annotations };
    await ensure(admin, StorageClass, { metadata, provisioner, reclaimPolicy: "Delete", volumeBindingMode: bindingMode(facts) });
  }
  for (const node of nodes) {
    const { name } = node;
    const { id: nodeID, segments, limit } = driver.nodeFacts(node);
    const topologyKeys = Object.keys(segments);
    await ensureNode(admin, { name, labels: { ...segments } }, systemClock.now());
    const registered = {
      ...{ name: provisioner, nodeID },
      ...(topologyKeys.length > 0 && { topologyKeys }),
      ...(limit > 0 && { allocatable: { count: limit } }),
    };
    await ensure(admin, CSINode, { metadata: { name }, spec: { drivers: [registered] } });
  }
}
