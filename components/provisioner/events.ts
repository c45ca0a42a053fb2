import { type EventRecorder, type InvolvedObject, PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";

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
      own.event(about(claim), "Normal", "Provisioning", `External provisioner is provisioning volume for claim "${namespace}/${name}"`);
    },
    provisioned: (claim, volume) => own.event(about(claim), "Normal", "ProvisioningSucceeded", `Successfully provisioned volume ${volume}`),
    failed: (claim, message) => own.event(about(claim), "Warning", "ProvisioningFailed", message),
    infeasible: (claim, message) => {
      const text = `Volume provisioning failed with infeasible error. Retries will be delayed. ${message}`;
      own.event(about(claim), "Warning", "ProvisioningFailed", text);
    },
    leftToPopulator: (claim) =>
      general.event(about(claim), "Normal", "Provisioning", "Assuming an external populator will provision the volume"),
    deletionFailed: ({ metadata: { name, uid, resourceVersion } }, message) => {
      const volume = { apiVersion: "v1", kind: PersistentVolume.kind, name, uid, resourceVersion };
      own.event(volume, "Warning", "VolumeFailedDelete", message);
    },
  };
}

function about({ metadata: { name, namespace, uid, resourceVersion } }: Subject): InvolvedObject {
  return { apiVersion: "v1", kind: PersistentVolumeClaim.kind, name, namespace, uid, resourceVersion };
}
