import { objectEvents } from "@csi-sidecars/controller";
import { type EventRecorder, keyOf, PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { eventReasons } from "./event-reasons.ts";
import type { Claim, Volume } from "./fields.ts";
import { messages } from "./messages.ts";

const { provisioning, provisioned, provisioningFailed, deletionFailed } = eventReasons;

/** The events of the provisioner, in upstream's words: users and their tools know them. */
export interface Events {
  provisioning(claim: Claim): void;
  provisioned(claim: Claim, volume: string): void;
  failed(claim: Claim, message: string): void;
  infeasible(claim: Claim, message: string): void;
  leftToPopulator(claim: Claim): void;
  deletionFailed(volume: Volume, message: string): void;
}

/** `own` is the driver's provisioner; `general` the source that all provisioners name for claims they leave to a populator. */
export function provisionerEvents(own: EventRecorder, general: EventRecorder): Events {
  const claims = objectEvents(own, PersistentVolumeClaim);
  const volumes = objectEvents(own, PersistentVolume);
  const populated = objectEvents(general, PersistentVolumeClaim);
  return {
    provisioning: (claim) =>
      claims.normal(claim, provisioning.reason, `External provisioner is provisioning volume for claim "${keyOf(claim)}"`),
    provisioned: (claim, volume) => claims.normal(claim, provisioned.reason, `Successfully provisioned volume ${volume}`),
    failed: (claim, message) => claims.warning(claim, provisioningFailed.reason, message),
    infeasible: (claim, message) => claims.warning(claim, provisioningFailed.reason, messages.infeasible(message)),
    leftToPopulator: (claim) => populated.normal(claim, provisioning.reason, "Assuming an external populator will provision the volume"),
    deletionFailed: (volume, message) => volumes.warning(volume, deletionFailed.reason, message),
  };
}
