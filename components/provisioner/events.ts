import { type EventRecorder, type InvolvedObject, PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { eventReasons } from "./event-reasons.ts";
import { messages } from "./messages.ts";

const { provisioning: started, provisioned: succeeded, provisioningFailed: failed, deletionFailed } = eventReasons;

interface Subject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string; readonly resourceVersion: string };
}

/** What users are told, in the words that they and their tools know. */
export interface Events {
  provisioning(claim: Subject): void;
  provisioned(claim: Subject, volume: string): void;
  failed(claim: Subject, message: string): void;
  infeasible(claim: Subject, message: string): void;
  leftToPopulator(claim: Subject): void;
  deletionFailed(volume: Subject, message: string): void;
}

/** `own` speaks for the driver's provisioner; `general` as every provisioner does about populators. */
export function provisionerEvents(own: EventRecorder, general: EventRecorder): Events {
  return {
    provisioning: (claim) => {
      const { namespace, name } = claim.metadata;
      own.event(about(claim), started.type, started.reason, `External provisioner is provisioning volume for claim "${namespace}/${name}"`);
    },
    provisioned: (claim, volume) => own.event(about(claim), succeeded.type, succeeded.reason, `Successfully provisioned volume ${volume}`),
    failed: (claim, message) => own.event(about(claim), failed.type, failed.reason, message),
    infeasible: (claim, message) => own.event(about(claim), failed.type, failed.reason, messages.infeasible(message)),
    leftToPopulator: (claim) =>
      general.event(about(claim), started.type, started.reason, "Assuming an external populator will provision the volume"),
    deletionFailed: ({ metadata: { name, uid, resourceVersion } }, message) => {
      const volume = { apiVersion: "v1", kind: PersistentVolume.kind, name, uid, resourceVersion };
      own.event(volume, deletionFailed.type, deletionFailed.reason, message);
    },
  };
}

function about({ metadata: { name, namespace, uid, resourceVersion } }: Subject): InvolvedObject {
  return { apiVersion: "v1", kind: PersistentVolumeClaim.kind, name, namespace, uid, resourceVersion };
}
