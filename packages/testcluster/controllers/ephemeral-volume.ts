import { done } from "@csi-sidecars/controller";
import { isAlreadyExists, refKey } from "@csi-sidecars/kube";
import { ephemeralClaims } from "./claims.ts";
import { type ClusterPod, claimFields, podFields } from "./fields.ts";
import { type ClusterController, newController, retryOnConflict } from "./runtime/cluster-controller.ts";

/** The ephemeral-volume controller: creates the claims of generic ephemeral volumes, owned by their pod. */
export const ephemeralVolume: ClusterController = (context) => {
  const { client, informers } = context;
  const pods = informers.forFields(podFields);
  const claims = informers.forFields(claimFields);
  const controller = newController(context, { name: "ephemeral-volume", workers: 4, waitFor: [pods, claims] });
  const addPod = (pod: ClusterPod) => {
    if (ephemeralClaims(pod).length > 0) controller.enqueue(refKey(pod.metadata));
  };
  pods.addHandler({ onAdd: addPod });

  const reconcile = retryOnConflict(context.log, async (key, signal) => {
    const pod = pods.get(key);
    if (!pod || pod.metadata.deletionTimestamp !== undefined) return done;
    const { name: owner, namespace, uid } = pod.metadata;
    const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: owner, uid, controller: true, blockOwnerDeletion: true }];
    for (const { name, ephemeral } of ephemeralClaims(pod)) {
      const template = ephemeral.volumeClaimTemplate;
      if (!template || claims.get(`${namespace}/${name}`)) continue;
      const { annotations, labels } = template.metadata ?? {};
      const metadata = { name, namespace, ownerReferences, ...(annotations && { annotations }), ...(labels && { labels }) };
      const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: template.spec };
      const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
      await client.raw("POST", path, claim, { signal }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    return done;
  });
  return (signal) => controller.run(reconcile, signal);
};
