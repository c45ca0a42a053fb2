import { done } from "@csi-sidecars/controller";
import { fields, ignoreNotFound, Pod, refKey, refOf } from "@csi-sidecars/kube";
import { type ClusterController, newController, retryOnConflict } from "../runtime/cluster-controller.ts";
import { dependentsOf } from "./dependents.ts";
import { enqueueOwner, isTerminating, ownedPodFields, readOwned } from "./owned-objects.ts";
import { planReplicaSet } from "./plan-replica-set.ts";
import { ReplicaSet } from "./workload-kinds.ts";
import { writeStatus } from "./write-status.ts";

/** What is noticed of ReplicaSets: also the Deployments that own them want to know. */
export const replicaSetFields = fields(ReplicaSet, { metadata: { generation: true, ownerReferences: true }, status: true });

/** The ReplicaSet controller: as many pods of one template as asked for. */
export const replicaSets: ClusterController = (context) => {
  const { client, informers, log } = context;
  const sets = informers.forFields(replicaSetFields);
  const pods = informers.forFields(ownedPodFields);
  const controller = newController(context, { name: "replicaset", workers: 2, waitFor: [sets, pods] });
  const dependents = dependentsOf(context, "replicaset-controller", ReplicaSet);
  sets.addHandler({
    onAdd: ({ metadata }) => controller.enqueue(refKey(metadata)),
    onUpdate: (_old, { metadata }) => controller.enqueue(refKey(metadata)),
  });
  pods.addHandler(enqueueOwner(ReplicaSet, controller.enqueue));

  const reconcile = retryOnConflict(log, async (key, signal) => {
    const set = await ignoreNotFound(client.get(ReplicaSet, refOf(key), { signal }));
    if (!set || isTerminating(set)) return done;
    const { create, remove, status } = planReplicaSet(set, await readOwned(client, Pod, set, signal));
    const its = dependents(set, signal);
    for (const pod of create) await its.create(Pod, pod);
    for (const pod of remove) await its.remove(Pod, pod);
    await writeStatus(client, ReplicaSet, set, status, signal);
    return done;
  });
  return (signal) => controller.run(reconcile, signal);
};
