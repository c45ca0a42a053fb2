import { done, PersistentVolumeClaim, refKey } from "@csi-sidecars/kube";
import { annotation } from "./annotations.ts";
import { storageSize } from "./claims.ts";
import { type Claim, claimFields, type Volume, volumeFields } from "./fields.ts";
import { about } from "./runtime/about.ts";
import { type Controller, loopQueue } from "./runtime/controller.ts";

/** The persistentvolume-expander: CSI volumes are expanded by the external resizer, so all it does is to say so. */
export const expander: Controller = (context) => {
  const queue = loopQueue(context);
  const events = context.recorder("volume_expand");
  const claims = context.informers.forFields(claimFields);
  const volumes = context.informers.forFields(volumeFields);
  const add = ({ metadata }: Claim) => queue.add(refKey(metadata));
  claims.addHandler({
    onAdd(claim) {
      if (claim.status?.phase === "Bound") add(claim);
    },
    onUpdate(old, claim) {
      if (growthBegan(old, claim)) add(claim);
    },
  });
  return [
    {
      name: "persistentvolume-expander",
      queue,
      concurrency: 1,
      async reconcile(key) {
        const claim = claims.get(key);
        const message = claim && planExpansion(claim, volumes.get(claim.spec?.volumeName ?? ""));
        if (message) events.event(about(PersistentVolumeClaim, claim), "Normal", "ExternalExpanding", message);
        return done;
      },
    },
  ];
};

/** Whether a change of a claim is worth a look: it asks for more, or it got more. */
export function growthBegan(old: Claim, claim: Claim): boolean {
  return (
    claim.status?.phase === "Bound" &&
    (storageSize(claim.spec?.resources?.requests) > storageSize(old.spec?.resources?.requests) ||
      storageSize(claim.status.capacity) > storageSize(old.status?.capacity))
  );
}

/** For CSI volumes the cluster only says that it waits for the external resizer; this is what it says, if anything. */
export function planExpansion(claim: Claim, volume: Volume | undefined): string | undefined {
  if (volume?.spec?.claimRef?.uid !== claim.metadata.uid) return undefined;
  const grows = storageSize(claim.spec?.resources?.requests) > storageSize(claim.status?.capacity);
  if (!grows && volume.metadata.annotations?.[annotation.preResizeCapacity] === undefined) return undefined;
  return "waiting for an external controller to expand this PVC";
}
