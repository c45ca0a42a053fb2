import type { Clock } from "@csi-sidecars/base";
import type { VolumeOperation } from "@csi-sidecars/host";
import { CSIDriver, CSINode, Lease, Node, type V1Lease } from "@csi-sidecars/kube";
import { type ClusterReader, found, foundIn, type Lookup, unreadable } from "../../access/read-cluster.ts";
import { leaseNames, type ReportOn, type ResponsibleFor } from "../responsible-sidecar.ts";
import type { DriverAnswer, ObservedDriver, ObservedNode } from "./observed.ts";

/** Where facts about an object come from. */
export interface GatherContext {
  readonly cluster: ClusterReader;
  readonly clock: Pick<Clock, "now">;
  readonly responsibleFor: ResponsibleFor;
  readonly reportOn: ReportOn;
  /** What the driver answered, where it was asked. */
  readonly driverAnswer?: DriverAnswer;
  /** `--leader-election-lease-name`, where the sidecars have one. */
  readonly leaseName?: string;
  /** `--retry-interval-max` of the sidecar that expands and modifies volumes. */
  readonly infeasibleRetryMs: number;
}

/** The driver that has to carry out an operation. The leases of its sidecar are looked for by name in all namespaces. */
export async function gatherDriver(context: GatherContext, name: string, operation: VolumeOperation): Promise<ObservedDriver> {
  const { cluster, driverAnswer: answer, leaseName, responsibleFor } = context;
  const names = leaseNames(responsibleFor(operation)?.sidecar ?? {}, name, leaseName);
  const [csiDriver, ...leases] = await Promise.all([
    cluster.get(CSIDriver, { name }),
    ...names.map((lease) => cluster.list(Lease, { fieldSelector: `metadata.name=${lease}` })),
  ]);
  const relevant = answer && (!answer.reached || answer.name === name);
  return { name, csiDriver, leases: concat(leases), ...(relevant && { answer }) };
}

/** The leases of a component that is one for all drivers, looked for by name in all namespaces. */
export async function gatherLeases(
  { cluster, responsibleFor }: GatherContext,
  operation: VolumeOperation,
): Promise<Lookup<readonly V1Lease[]>> {
  const name = responsibleFor(operation)?.sidecar.legacyLease?.("");
  return name === undefined ? unreadable : cluster.list(Lease, { fieldSelector: `metadata.name=${name}` });
}

function concat(lists: readonly Lookup<readonly V1Lease[]>[]): Lookup<readonly V1Lease[]> {
  return lists.find(({ state }) => state === "unreadable") ?? found(lists.flatMap((list) => foundIn(list) ?? []));
}

export async function gatherNode({ cluster }: GatherContext, name: string): Promise<ObservedNode> {
  const [node, csiNode] = await Promise.all([cluster.get(Node, { name }), cluster.get(CSINode, { name })]);
  return { name, node, csiNode };
}
