import { CSIDriver, CSINode, Lease, Node, type V1Lease } from "@csi-sidecars/kube";
import type { Actor, NodeFacts } from "./facts.ts";
import type { GatherContext } from "./gather.ts";
import { type Look, seen, valueIn } from "./look.ts";
import { leaseNames, type Sidecar } from "./sidecar-leases.ts";

/** Who acts for a driver as one of its sidecars: leases are looked for by name in all namespaces. */
export async function gatherActor({ look, driver: answer, leaseName }: GatherContext, driver: string, sidecar: Sidecar): Promise<Actor> {
  const [csiDriver, ...found] = await Promise.all([
    look.get(CSIDriver, { name: driver }),
    ...leaseNames(sidecar, driver, leaseName).map((name) => look.list(Lease, { fieldSelector: `metadata.name=${name}` })),
  ]);
  const relevant = answer && (!answer.reached || answer.name === driver);
  return { driver, csiDriver, leases: together(found), ...(relevant && { answer }) };
}

function together(looks: readonly Look<readonly V1Lease[]>[]): Look<readonly V1Lease[]> {
  return looks.find(({ state }) => state === "unseen") ?? seen(looks.flatMap((look) => valueIn(look) ?? []));
}

export async function gatherNode({ look }: GatherContext, name: string): Promise<NodeFacts> {
  const [node, csiNode] = await Promise.all([look.get(Node, { name }), look.get(CSINode, { name })]);
  return { name, node, csiNode };
}
