import { storageClassName } from "@csi-sidecars/controller";
import { done, isNotFound, type Key, PersistentVolume, PersistentVolumeClaim, refKey, refOf } from "@csi-sidecars/kube";
import { annotation } from "../annotations.ts";
import { claimsOfPod, defaultClass, isTerminated } from "../claims.ts";
import { type Claim, claimFields, classFields, podFields, type Volume, volumeFields } from "../fields.ts";
import { about } from "../runtime/about.ts";
import { type Controller, forgiving, loopQueue } from "../runtime/controller.ts";
import { Writer } from "../runtime/writer.ts";
import type { BinderPlan } from "./binder-plan.ts";
import { candidateVolumes, claimKeyOf } from "./match-volume.ts";
import { planClaim } from "./plan-claim.ts";
import { planVolume } from "./plan-volume.ts";

const isOpen = (claim: Claim) => claim.metadata.annotations?.[annotation.bindCompleted] === undefined;

/** How often users are told again why a claim is still pending. */
const reminderMs = 15_000;

/**
 * The persistentvolume-binder. A claim and the volumes that name it are one key, the claim's, so that nobody works on one half
 * of a pair while the other changes; a free volume is a key of its own.
 */
export const binder: Controller = (context) => {
  const { client, informers } = context;
  const log = context.log.named("persistentvolume-binder");
  const events = context.recorder("persistentvolume-controller");
  const queue = loopQueue(context);
  const writer = new Writer(client);
  const claims = informers.forFields(claimFields);
  const volumes = informers.forFields(volumeFields);
  const classes = informers.forFields(classFields);
  const pods = informers.forFields(podFields);
  claims.addIndex("open", (claim) => (isOpen(claim) ? [storageClassName(claim)] : []));
  claims.addIndex("volume", ({ spec }) => (spec?.volumeName ? [spec.volumeName] : []));
  pods.addIndex("claim", claimsOfPod);
  const { ofClaim, candidates } = candidateVolumes(volumes);

  const addAll = (found: readonly Claim[]) => {
    for (const { metadata } of found) queue.add(refKey(metadata));
  };
  const addVolume = (volume: Volume) => {
    queue.add(claimKeyOf(volume) ?? volume.metadata.name);
    addAll(claims.byIndex("volume", volume.metadata.name));
  };
  claims.addHandler(
    {
      onAdd: ({ metadata }) => queue.add(refKey(metadata)),
      onUpdate(old, claim) {
        if (old !== claim || isOpen(claim)) queue.add(refKey(claim.metadata));
      },
      onDelete(claim) {
        writer.forget(claim);
        queue.add(refKey(claim.metadata));
      },
    },
    { name: "persistentvolume-binder", resyncMs: reminderMs },
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

  const world = {
    volumeNamed: (name: string) => volumes.get(name),
    candidates: (claim: Claim) => candidates(claim).filter((volume) => !writer.isAhead(volume)),
    classNamed: (name: string) => classes.get(name),
    defaultClass: () => defaultClass(classes.list()),
    waitingPods: ({ metadata }: Claim) =>
      pods
        .byIndex("claim", refKey(metadata))
        .filter((pod) => !pod.spec?.nodeName && !isTerminated(pod))
        .map((pod) => pod.metadata.name),
  };

  async function carryOut(plan: BinderPlan, claim: Claim | undefined, volume: Volume | undefined, signal: AbortSignal): Promise<void> {
    for (const { of, part, patch } of plan.patches) {
      if (of === "claim" && claim) await writer.patch(PersistentVolumeClaim, claim, part, patch, signal);
      else if (volume) await writer.patch(PersistentVolume, volume, part, patch, signal);
    }
    for (const event of plan.events) {
      const object = event.about === "claim" ? claim && about(PersistentVolumeClaim, claim) : volume && about(PersistentVolume, volume);
      if (object) events.event(object, event.type, event.reason, event.message);
    }
  }

  /** Caches of different kinds lag differently: before a volume is released, the server itself says that the claim is gone. */
  async function ownerOf(key: Key, volume: Volume, signal: AbortSignal): Promise<Claim | undefined> {
    const cached = claims.get(key);
    if (cached?.metadata.uid === volume.spec?.claimRef?.uid) return cached;
    if (volume.status?.phase === "Released" || volume.status?.phase === "Failed" || !volume.spec?.claimRef?.uid) return undefined;
    try {
      const { metadata, spec, status } = await client.get(PersistentVolumeClaim, refOf(key), { signal });
      const { name = "", uid = "", resourceVersion = "", ...rest } = metadata ?? {};
      return { metadata: { ...rest, name, uid, resourceVersion }, spec, status };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  return [
    {
      name: "persistentvolume-binder",
      queue,
      concurrency: 8,
      reconcile: forgiving(log, async (key, signal) => {
        if (!key.includes("/")) {
          const volume = volumes.get(key);
          if (volume && !volume.spec?.claimRef && !writer.isAhead(volume))
            await carryOut(planVolume(volume, undefined), undefined, volume, signal);
          return done;
        }
        const claim = claims.get(key);
        const named = ofClaim(key);
        if ([claim, ...named].some((object) => object && writer.isAhead(object))) return done;
        if (claim) {
          const plan = planClaim(claim, world);
          await carryOut(plan, claim, plan.volume, signal);
          if (plan.patches.length > 0) return done;
        }
        for (const volume of named) {
          const owner = await ownerOf(key, volume, signal);
          await carryOut(planVolume(volume, owner), owner, volume, signal);
        }
        return done;
      }),
    },
  ];
};
