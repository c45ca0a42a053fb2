import { done } from "@csi-sidecars/controller";
import { type KubeObject, PersistentVolume, PersistentVolumeClaim, Pod, type Resource, refKey } from "@csi-sidecars/kube";
import { claimsOfPod } from "../claims.ts";
import { type Claim, type ClusterPod, claimFields, podFields, type Volume, volumeFields } from "../fields.ts";
import { type ClusterController, newController, retryOnConflict } from "../runtime/cluster-controller.ts";
import { Writer } from "../runtime/writer.ts";
import { type ProtectionPlan, planClaimProtection, planVolumeProtection } from "./plan-protection.ts";

/** The pvc-protection controller: a deleted claim stays until no pod on a node uses it. */
export const claimProtection: ClusterController = (context) => {
  const { client, informers } = context;
  const writer = new Writer(client);
  const claims = informers.forFields(claimFields);
  const pods = informers.forFields(podFields);
  const controller = newController(context, { name: "persistentvolumeclaim-protection", workers: 8, waitFor: [claims, pods] });
  pods.addIndex("claim", claimsOfPod);
  const addClaims = (pod: ClusterPod) => {
    for (const key of claimsOfPod(pod)) if (claims.get(key)?.metadata.deletionTimestamp !== undefined) controller.enqueue(key);
  };
  claims.addHandler(enqueueWhenPlanned(planWithoutPods, ({ metadata }) => controller.enqueue(refKey(metadata)), writer));
  pods.addHandler({ onUpdate: (_old, pod) => addClaims(pod), onDelete: addClaims });

  /** The cache may lag behind: the live pods are listed before the claim is released. */
  async function livePods(namespace: string | undefined, signal: AbortSignal): Promise<readonly ClusterPod[]> {
    const { items } = await client.list(Pod, { namespace, signal });
    return items.map(({ metadata, spec, status }) => {
      const { name = "", uid = "", resourceVersion = "", ...rest } = metadata ?? {};
      return { metadata: { ...rest, namespace, name, uid, resourceVersion }, spec, status };
    });
  }

  const reconcile = retryOnConflict(context.log, async (key, signal) => {
    const claim = claims.get(key);
    if (!claim || writer.isStale(claim)) return done;
    const plan = planClaimProtection(claim, pods.byIndex("claim", key));
    const sure = plan.step === "release" ? planClaimProtection(claim, await livePods(claim.metadata.namespace, signal)) : plan;
    await execute(sure, PersistentVolumeClaim, claim, writer, signal);
    return done;
  });
  return (signal) => controller.run(reconcile, signal);
};

/** The pv-protection controller: a deleted volume stays while it is bound. */
export const volumeProtection: ClusterController = (context) => {
  const writer = new Writer(context.client);
  const volumes = context.informers.forFields(volumeFields);
  const controller = newController(context, { name: "persistentvolume-protection", workers: 8, waitFor: [volumes] });
  volumes.addHandler(enqueueWhenPlanned(planVolumeProtection, ({ metadata }) => controller.enqueue(metadata.name), writer));
  const reconcile = retryOnConflict(context.log, async (key, signal) => {
    const volume = volumes.get(key);
    if (volume && !writer.isStale(volume)) await execute(planVolumeProtection(volume), PersistentVolume, volume, writer, signal);
    return done;
  });
  return (signal) => controller.run(reconcile, signal);
};

const planWithoutPods = (claim: Claim): ProtectionPlan => planClaimProtection(claim, []);

/** Enqueues only the objects that need a change: most do not. */
function enqueueWhenPlanned<P extends Claim | Volume>(plan: (object: P) => ProtectionPlan, add: (object: P) => void, writer: Writer) {
  const enqueueIfNeeded = (object: P) => {
    if (plan(object).step !== "none") add(object);
  };
  return {
    onAdd: enqueueIfNeeded,
    onUpdate: (_old: P, object: P) => enqueueIfNeeded(object),
    onDelete: (object: P) => writer.forget(object),
  };
}

async function execute<T extends KubeObject>(
  plan: ProtectionPlan,
  resource: Resource<T>,
  object: Claim | Volume,
  writer: Writer,
  signal: AbortSignal,
): Promise<void> {
  if (plan.step === "none") return;
  await writer.patch(resource, object, "object", { metadata: { finalizers: plan.finalizers } }, signal);
}
