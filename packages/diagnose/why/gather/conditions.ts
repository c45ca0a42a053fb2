import { Node, type ObjectRef, type V1Event, type V1VolumeSnapshot, VolumeSnapshot } from "@csi-sidecars/kube";
import { filterFound, type Lookup } from "../../access/read-cluster.ts";
import { lastConditions } from "../condition-events.ts";
import { podsThatUse } from "./claim-users.ts";
import type { GatherContext } from "./context.ts";
import type { ObservedConditions } from "./observed.ts";

/** What the events about a bound claim say of its volume. Where that is nothing bad, nothing more is read. */
export async function gatherConditions(context: GatherContext, claim: ObjectRef, events: readonly V1Event[]): Promise<ObservedConditions> {
  const { cluster, reportOn } = context;
  const isAbnormal = lastConditions("volumeHealth", events, reportOn).some(({ declared }) => declared.state === "abnormal");
  const failed = lastConditions("nodeHealth", events, reportOn).filter(({ declared }) => declared.state === "abnormal");
  const names = failed.flatMap(({ subject }) => subject ?? []);
  const [nodes, pods, snapshots] = await Promise.all([
    Promise.all(names.map(async (name) => ({ name, node: await cluster.get(Node, { name }) }))),
    names.length > 0 ? podsThatUse(context, { metadata: claim }) : undefined,
    isAbnormal ? readySnapshotsOf(context, claim) : undefined,
  ]);
  return { events, ...(names.length > 0 && { nodes }), ...(pods && { pods }), ...(snapshots && { snapshots }) };
}

async function readySnapshotsOf({ cluster }: GatherContext, { namespace, name }: ObjectRef): Promise<Lookup<readonly V1VolumeSnapshot[]>> {
  const snapshots = await cluster.list(VolumeSnapshot, { ...(namespace && { namespace }) });
  return filterFound(snapshots, ({ metadata, spec, status }) => {
    const isReady = status?.readyToUse === true && metadata?.deletionTimestamp === undefined;
    return isReady && spec?.source?.persistentVolumeClaimName === name;
  });
}
