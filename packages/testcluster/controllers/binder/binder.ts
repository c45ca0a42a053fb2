import { done, objectEvents } from "@csi-sidecars/controller";
import { ignoreNotFound, type Key, PersistentVolume, PersistentVolumeClaim, refKey, refOf, storageClassName } from "@csi-sidecars/kube";
import { annotation } from "../annotations.ts";
import { claimsOfPod, defaultClass, isTerminated } from "../claims.ts";
import { type Claim, claimFields, classFields, podFields, type Volume, volumeFields } from "../fields.ts";
import { type ClusterController, emit, newController, retryOnConflict } from "../runtime/cluster-controller.ts";
import { Writer } from "../runtime/writer.ts";
import type { BinderPlan } from "./binder-plan.ts";
import { candidateVolumes, claimKeyOf } from "./match-volume.ts";
import { planClaim } from "./plan-claim.ts";
import { planVolume } from "./plan-volume.ts";

const isOpen = (claim: Claim) => claim.metadata.annotations?.[annotation.bindCompleted] === undefined;

const name = "persistentvolume-binder";

/** How often the events about pending claims are repeated. */
const reminderMs = 15_000;

/**
 * The persistentvolume-binder. A claim and the volumes that name it are one key, the claim's, so that only one worker at a time
 * changes the pair; a free volume is a key of its own.
 */
export const binder: ClusterController = (context) => {
  const { client, informers } = context;
  const recorder = context.recorder("persistentvolume-controller");
  const claimEvents = objectEvents(recorder, PersistentVolumeClaim);
  const volumeEvents = objectEvents(recorder, PersistentVolume);
  const writer = new Writer(client);
  const claims = informers.forFields(claimFields);
  const volumes = informers.forFields(volumeFields);
  const classes = informers.forFields(classFields);
  const pods = informers.forFields(podFields);
  const controller = newController(context, { name, workers: 8, waitFor: [claims, volumes, classes, pods] });
  claims.addIndex("open", (claim) => (isOpen(claim) ? [storageClassName(claim)] : []));
  claims.addIndex("volume", ({ spec }) => (spec?.volumeName ? [spec.volumeName] : []));
  pods.addIndex("claim", claimsOfPod);
  const { ofClaim, candidates } = candidateVolumes(volumes);

  const addAll = (found: readonly Claim[]) => {
    for (const { metadata } of found) controller.enqueue(refKey(metadata));
  };
  const addVolume = (volume: Volume) => {
    controller.enqueue(claimKeyOf(volume) ?? volume.metadata.name);
    addAll(claims.byIndex("volume", volume.metadata.name));
  };
  claims.addHandler(
    {
      onAdd: ({ metadata }) => controller.enqueue(refKey(metadata)),
      onUpdate(old, claim) {
        if (old !== claim || isOpen(claim)) controller.enqueue(refKey(claim.metadata));
      },
      onDelete(claim) {
        writer.forget(claim);
        controller.enqueue(refKey(claim.metadata));
      },
    },
    { name, resyncMs: reminderMs },
  );
  volumes.addHandler({
    onAdd: addVolume,
    onUpdate(old, volume) {
      if (claimKeyOf(old) !== claimKeyOf(volume)) addVolume(old);
      addVolume(volume);
      if (!volume.spec?.claimRef && volume.status?.phase === "Available") addAll(claims.byIndex("open", storageClassName(volume)));
    },
    onDelete(volume) {
      writer.forget(volume);
      addVolume(volume);
    },
  });
  const addOpen = ({ metadata }: { readonly metadata: { readonly name: string } }) => {
    for (const name of [metadata.name, ""]) addAll(claims.byIndex("open", name));
  };
  classes.addHandler({
    onAdd(added, { initial }) {
      if (!initial) addOpen(added);
    },
    onUpdate: (_old, now) => addOpen(now),
  });

  const listers = {
    volumeNamed: (name: string) => volumes.get(name),
    candidates: (claim: Claim) => candidates(claim).filter((volume) => !writer.isStale(volume)),
    classNamed: (name: string) => classes.get(name),
    defaultClass: () => defaultClass(classes.list()),
    waitingPods: ({ metadata }: Claim) =>
      pods
        .byIndex("claim", refKey(metadata))
        .filter((pod) => !pod.spec?.nodeName && !isTerminated(pod))
        .map((pod) => pod.metadata.name),
  };

  async function execute(plan: BinderPlan, claim: Claim | undefined, volume: Volume | undefined, signal: AbortSignal): Promise<void> {
    for (const { target, part, patch } of plan.patches) {
      if (target === "claim" && claim) await writer.patch(PersistentVolumeClaim, claim, part, patch, signal);
      else if (volume) await writer.patch(PersistentVolume, volume, part, patch, signal);
    }
    for (const event of plan.events) {
      if (event.about === "claim" && claim) emit(claimEvents, claim, event);
      else if (event.about === "volume" && volume) emit(volumeEvents, volume, event);
    }
  }

  /** The caches of claims and volumes lag differently: before a volume is released, the API server must confirm that the claim is gone. */
  async function ownerOf(key: Key, volume: Volume, signal: AbortSignal): Promise<Claim | undefined> {
    const cached = claims.get(key);
    if (cached?.metadata.uid === volume.spec?.claimRef?.uid) return cached;
    if (volume.status?.phase === "Released" || volume.status?.phase === "Failed" || !volume.spec?.claimRef?.uid) return undefined;
    const found = await ignoreNotFound(client.get(PersistentVolumeClaim, refOf(key), { signal }));
    if (!found) return undefined;
    const { name = "", uid = "", resourceVersion = "", ...rest } = found.metadata ?? {};
    return { metadata: { ...rest, name, uid, resourceVersion }, spec: found.spec, status: found.status };
  }

  const reconcile = retryOnConflict(context.log.named(name), async (key, signal) => {
    if (!key.includes("/")) {
      const volume = volumes.get(key);
      if (volume && !volume.spec?.claimRef && !writer.isStale(volume))
        await execute(planVolume(volume, undefined), undefined, volume, signal);
      return done;
    }
    const claim = claims.get(key);
    const named = ofClaim(key);
    if ([claim, ...named].some((object) => object && writer.isStale(object))) return done;
    if (claim) {
      const plan = planClaim(claim, listers);
      await execute(plan, claim, plan.volume, signal);
      if (plan.patches.length > 0) return done;
    }
    for (const volume of named) {
      const owner = await ownerOf(key, volume, signal);
      await execute(planVolume(volume, owner), owner, volume, signal);
    }
    return done;
  });
  return (signal) => controller.run(reconcile, signal);
};
