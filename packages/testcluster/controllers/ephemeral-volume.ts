import { done, isAlreadyExists, refKey } from "@csi-sidecars/kube";
import { ephemeralClaims } from "./claims.ts";
import { type ClusterPod, claimFields, podFields } from "./fields.ts";
import { type Controller, forgiving, loopQueue } from "./runtime/controller.ts";

/** The ephemeral-volume controller: makes the claims that pods describe in their volumes; they go with the pod. */
export const ephemeral: Controller = (context) => {
  const { client, informers } = context;
  const queue = loopQueue(context);
  const pods = informers.forFields(podFields);
  const claims = informers.forFields(claimFields);
  const look = (pod: ClusterPod) => {
    if (ephemeralClaims(pod).length > 0) queue.add(refKey(pod.metadata));
  };
  pods.addHandler({ onAdd: look });

  return [
    {
      name: "ephemeral-volume",
      queue,
      concurrency: 4,
      reconcile: forgiving(context.log, async (key, signal) => {
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
      }),
    },
  ];
};
