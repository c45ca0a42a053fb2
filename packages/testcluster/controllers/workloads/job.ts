import { done } from "@csi-sidecars/controller";
import { fields, ignoreNotFound, Pod, refKey, refOf } from "@csi-sidecars/kube";
import { type ClusterController, newController, retryOnConflict } from "../runtime/cluster-controller.ts";
import { dependentsOf } from "./dependents.ts";
import { enqueueOwner, isTerminating, ownedPodFields, readOwned } from "./owned-objects.ts";
import { planJob } from "./plan-job.ts";
import { Job } from "./workload-kinds.ts";
import { writeStatus } from "./write-status.ts";

const jobFields = fields(Job, { metadata: { generation: true } });

/** The Job controller: as many pods at a time as a job asks for. */
export const jobs: ClusterController = (context) => {
  const { client, informers, log } = context;
  const all = informers.forFields(jobFields);
  const pods = informers.forFields(ownedPodFields);
  const controller = newController(context, { name: "job", workers: 2, waitFor: [all, pods] });
  const dependents = dependentsOf(context, "job-controller", Job);
  all.addHandler({
    onAdd: ({ metadata }) => controller.enqueue(refKey(metadata)),
    onUpdate: (_old, { metadata }) => controller.enqueue(refKey(metadata)),
  });
  pods.addHandler(enqueueOwner(Job, controller.enqueue));

  const reconcile = retryOnConflict(log, async (key, signal) => {
    const job = await ignoreNotFound(client.get(Job, refOf(key), { signal }));
    if (!job || isTerminating(job)) return done;
    const { create, status } = planJob(job, await readOwned(client, Pod, job, signal));
    const its = dependents(job, signal);
    for (const pod of create) await its.create(Pod, pod);
    await writeStatus(client, Job, job, status, signal);
    return done;
  });
  return (signal) => controller.run(reconcile, signal);
};
