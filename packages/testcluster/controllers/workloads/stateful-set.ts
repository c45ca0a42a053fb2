import { done } from "@csi-sidecars/controller";
import { fields, ignoreNotFound, PersistentVolumeClaim, Pod, refKey, refOf } from "@csi-sidecars/kube";
import { type ClusterController, newController, retryOnConflict } from "../runtime/cluster-controller.ts";
import { dependentsOf } from "./dependents.ts";
import { enqueueOwner, isTerminating, ownedPodFields, readOwned } from "./owned-objects.ts";
import { planStatefulSet } from "./plan-stateful-set.ts";
import { StatefulSet } from "./workload-kinds.ts";
import { writeStatus } from "./write-status.ts";

const watched = fields(StatefulSet, { metadata: { generation: true }, status: true });

/** The StatefulSet controller: numbered pods, each with claims of its own that outlive it. */
export const statefulSets: ClusterController = (context) => {
  const { client, informers, log } = context;
  const sets = informers.forFields(watched);
  const pods = informers.forFields(ownedPodFields);
  const controller = newController(context, { name: "statefulset", workers: 2, waitFor: [sets, pods] });
  const dependents = dependentsOf(context, "statefulset-controller", StatefulSet);
  sets.addHandler({
    onAdd: ({ metadata }) => controller.enqueue(refKey(metadata)),
    onUpdate: (_old, { metadata }) => controller.enqueue(refKey(metadata)),
  });
  pods.addHandler(enqueueOwner(StatefulSet, controller.enqueue));

  const reconcile = retryOnConflict(log, async (key, signal) => {
    const set = await ignoreNotFound(client.get(StatefulSet, refOf(key), { signal }));
    if (!set || isTerminating(set)) return done;
    const { create, remove, status } = planStatefulSet(set, await readOwned(client, Pod, set, signal));
    const its = dependents(set, signal);
    for (const { pod, claims } of create) {
      for (const claim of claims) await its.ensure(PersistentVolumeClaim, claim);
      await its.create(Pod, pod);
    }
    for (const pod of remove) await its.remove(Pod, pod);
    await writeStatus(client, StatefulSet, set, status, signal);
    return done;
  });
  return (signal) => controller.run(reconcile, signal);
};
