import { done } from "@csi-sidecars/controller";
import { fields, ignoreNotFound, mergePatch, refKey, refOf } from "@csi-sidecars/kube";
import { type ClusterController, newController, retryOnConflict } from "../runtime/cluster-controller.ts";
import { dependentsOf } from "./dependents.ts";
import { deploymentConditions } from "./deployment-conditions.ts";
import { enqueueOwner, isTerminating, readOwned } from "./owned-objects.ts";
import { planDeployment, revisionAnnotation } from "./plan-deployment.ts";
import { replicaSetFields } from "./replica-set.ts";
import { Deployment, ReplicaSet } from "./workload-kinds.ts";
import { writeStatus } from "./write-status.ts";

const watched = fields(Deployment, { metadata: { generation: true }, status: true });

/** The Deployment controller: a ReplicaSet for each template, of which the latest gets the pods of the others. */
export const deployments: ClusterController = (context) => {
  const { client, informers, clock, log } = context;
  const all = informers.forFields(watched);
  const sets = informers.forFields(replicaSetFields);
  const controller = newController(context, { name: "deployment", workers: 2, waitFor: [all, sets] });
  const dependents = dependentsOf(context, "deployment-controller", Deployment);
  all.addHandler({
    onAdd: ({ metadata }) => controller.enqueue(refKey(metadata)),
    onUpdate: (_old, { metadata }) => controller.enqueue(refKey(metadata)),
  });
  sets.addHandler(enqueueOwner(Deployment, controller.enqueue));

  const reconcile = retryOnConflict(log, async (key, signal) => {
    const deployment = await ignoreNotFound(client.get(Deployment, refOf(key), { signal }));
    if (!deployment || isTerminating(deployment)) return done;
    const plan = planDeployment(deployment, await readOwned(client, ReplicaSet, deployment, signal));
    const its = dependents(deployment, signal);
    if (plan.create) await its.create(ReplicaSet, plan.create);
    for (const { set, replicas, revision } of plan.change) {
      const { name = "", namespace, resourceVersion } = set.metadata ?? {};
      const metadata = { resourceVersion, annotations: { [revisionAnnotation]: revision } };
      await client.patch(ReplicaSet, { name, namespace }, mergePatch({ metadata, spec: { replicas } }), { signal });
    }
    for (const set of plan.remove) await its.remove(ReplicaSet, set);
    if (deployment.metadata?.annotations?.[revisionAnnotation] !== plan.revision) {
      const annotations = { [revisionAnnotation]: plan.revision };
      await client.patch(Deployment, refOf(key), mergePatch({ metadata: { annotations } }), { signal });
    }
    const conditions = deploymentConditions(deployment, plan.status, clock.now());
    await writeStatus(client, Deployment, deployment, { ...plan.status, conditions }, signal);
    return done;
  });
  return (signal) => controller.run(reconcile, signal);
};
