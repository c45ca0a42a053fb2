import type { Claim, Class } from "../fields.ts";
import { annotation } from "../names.ts";
import type { BinderPlan } from "./binder-plan.ts";

/** Hands a claim to the external provisioner of its class: the annotation is what provisioners wait for. */
export function planProvision({ metadata }: Claim, className: string, storageClass: Class | undefined): BinderPlan {
  if (!storageClass) return failed(`storageclass.storage.k8s.io "${className}" not found`);
  const { provisioner } = storageClass;
  if (provisioner.startsWith("kubernetes.io/")) return failed(`no volume plugin matched name: ${provisioner}`);
  const annotations = { [annotation.betaStorageProvisioner]: provisioner, [annotation.storageProvisioner]: provisioner };
  const told = metadata.annotations?.[annotation.storageProvisioner] === provisioner;
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. ` +
    "If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  return {
    patches: told ? [] : [{ of: "claim", part: "object", patch: { metadata: { annotations } } }],
    events: [{ about: "claim", type: "Normal", reason: "ExternalProvisioning", message }],
  };
}

function failed(message: string): BinderPlan {
  return { patches: [], events: [{ about: "claim", type: "Warning", reason: "ProvisioningFailed", message }] };
}
