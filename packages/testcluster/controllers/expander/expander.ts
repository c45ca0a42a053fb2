import { done, PersistentVolumeClaim, refKey } from "@csi-sidecars/kube";
import { type Claim, claimFields, volumeFields } from "../fields.ts";
import { about } from "../runtime/about.ts";
import { type Controller, loopQueue } from "../runtime/controller.ts";
import { growthBegan, planExpansion } from "./plan-expansion.ts";

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
