import { done, objectEvents, type Reconcile } from "@csi-sidecars/controller";
import { PersistentVolumeClaim, refKey } from "@csi-sidecars/kube";
import { annotation } from "./annotations.ts";
import { storageSize } from "./claims.ts";
import { type Claim, claimFields, type Volume, volumeFields } from "./fields.ts";
import { type ClusterController, newController } from "./runtime/cluster-controller.ts";

/** The persistentvolume-expander. CSI volumes are expanded by the external resizer; it only emits an event. */
export const expander: ClusterController = (context) => {
  const claims = context.informers.forFields(claimFields);
  const volumes = context.informers.forFields(volumeFields);
  const events = objectEvents(context.recorder("volume_expand"), PersistentVolumeClaim);
  const controller = newController(context, { name: "persistentvolume-expander", workers: 1, waitFor: [claims, volumes] });
  const add = ({ metadata }: Claim) => controller.enqueue(refKey(metadata));
  claims.addHandler({
    onAdd(claim) {
      if (claim.status?.phase === "Bound") add(claim);
    },
    onUpdate(old, claim) {
      if (growthBegan(old, claim)) add(claim);
    },
  });
  const reconcile: Reconcile = async (key) => {
    const claim = claims.get(key);
    const message = claim && planExpansion(claim, volumes.get(claim.spec?.volumeName ?? ""));
    if (message) events.normal(claim, "ExternalExpanding", message);
    return done;
  };
  return (signal) => controller.run(reconcile, signal);
};

/** Whether the request or the capacity of a claim has grown. */
export function growthBegan(old: Claim, claim: Claim): boolean {
  return (
    claim.status?.phase === "Bound" &&
    (storageSize(claim.spec?.resources?.requests) > storageSize(old.spec?.resources?.requests) ||
      storageSize(claim.status.capacity) > storageSize(old.status?.capacity))
  );
}

/** The message of the event, if the claim waits for the external resizer. */
export function planExpansion(claim: Claim, volume: Volume | undefined): string | undefined {
  if (volume?.spec?.claimRef?.uid !== claim.metadata.uid) return undefined;
  const grows = storageSize(claim.spec?.resources?.requests) > storageSize(claim.status?.capacity);
  if (!grows && volume.metadata.annotations?.[annotation.preResizeCapacity] === undefined) return undefined;
  return "waiting for an external controller to expand this PVC";
}
