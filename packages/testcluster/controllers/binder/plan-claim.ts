import { storageClassName } from "@csi-sidecars/kube";
import { annotation } from "../annotations.ts";
import { bindsLate, namesClass, storageSize } from "../claims.ts";
import type { Claim, Class, Volume } from "../fields.ts";
import { type BinderPlan, nothing, planUnboundStatus } from "./binder-plan.ts";
import { hasAccessModes, isBoundTo, matchVolume, volumeModesDiffer } from "./match-volume.ts";
import { planBind } from "./plan-bind.ts";

/** What the plan of a claim reads. */
export interface ClaimListers {
  volumeNamed(name: string): Volume | undefined;
  /** Volumes that are free in the claim's class, or claimed by a claim of its name. */
  candidates(claim: Claim): readonly Volume[];
  classNamed(name: string): Class | undefined;
  defaultClass(): Class | undefined;
  /** Names of the pods that use the claim and have no node yet. */
  waitingPods(claim: Claim): readonly string[];
}

export function planClaim(claim: Claim, listers: ClaimListers): BinderPlan {
  if (claim.metadata.annotations?.[annotation.bindCompleted] !== undefined) return planBoundClaim(claim, listers);
  if (claim.spec?.volumeName) return planRequestedVolume(claim, listers.volumeNamed(claim.spec.volumeName));
  return planOpenClaim(claim, listers);
}

function planBoundClaim(claim: Claim, listers: ClaimListers): BinderPlan {
  const name = claim.spec?.volumeName;
  if (!name) return lose(claim, "ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  const volume = listers.volumeNamed(name);
  if (!volume) return lose(claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  const ref = volume.spec?.claimRef;
  if (!ref || ref.uid === claim.metadata.uid) return planBind(volume, claim);
  return lose(claim, "ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
}

function lose(claim: Claim, reason: string, message: string): BinderPlan {
  if (claim.status?.phase === "Lost") return nothing;
  return { patches: planUnboundStatus(claim, "Lost"), events: [{ about: "claim", type: "Warning", reason, message }] };
}

function planRequestedVolume(claim: Claim, volume: Volume | undefined): BinderPlan {
  if (!volume) return wait(claim);
  if (isBoundTo(volume, claim)) return planBind(volume, claim);
  const { name } = volume.metadata;
  if (volume.spec?.claimRef) return wait(claim, "Warning", "FailedBinding", `volume "${name}" already bound to a different claim.`);
  const why = whyNot(volume, claim);
  return why ? wait(claim, "Warning", "VolumeMismatch", `Cannot bind to requested volume "${name}": ${why}`) : planBind(volume, claim);
}

function whyNot(volume: Volume, claim: Claim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) return `the volume is marked for deletion "${volume.metadata.name}"`;
  if (storageSize(volume.spec?.capacity) < storageSize(claim.spec?.resources?.requests)) return "requested PV is too small";
  if (storageClassName(volume) !== storageClassName(claim)) return "storageClassName does not match";
  if ((claim.spec?.volumeAttributesClassName ?? "") !== (volume.spec?.volumeAttributesClassName ?? "")) {
    return "volumeAttributesClassName does not match";
  }
  if (volumeModesDiffer(claim, volume)) return "incompatible volumeMode";
  return hasAccessModes(volume, claim) ? undefined : "incompatible accessMode";
}

function planOpenClaim(claim: Claim, listers: ClaimListers): BinderPlan {
  const className = storageClassName(claim);
  const storageClass = className === "" ? undefined : listers.classNamed(className);
  const late = bindsLate(storageClass);
  const volume = matchVolume(claim, listers.candidates(claim), { late });
  if (volume) return planBind(volume, claim);
  const preset = namesClass(claim) ? undefined : listers.defaultClass();
  if (preset) {
    return { patches: [{ target: "claim", part: "object", patch: { spec: { storageClassName: preset.metadata.name } } }], events: [] };
  }
  if (late && claim.metadata.annotations?.[annotation.selectedNode] === undefined)
    return waitForConsumer(claim, listers.waitingPods(claim));
  if (className !== "") return planProvision(claim, className, storageClass);
  return wait(claim, "Normal", "FailedBinding", "no persistent volumes available for this claim and no storage class is set");
}

function waitForConsumer(claim: Claim, pods: readonly string[]): BinderPlan {
  if (pods.length === 0) return wait(claim, "Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  return wait(claim, "Normal", "WaitForPodScheduled", `waiting for pod${pods.length > 1 ? "s" : ""} ${pods.join(",")} to be scheduled`);
}

function wait(claim: Claim, type?: "Normal" | "Warning", reason = "", message = ""): BinderPlan {
  return { patches: planUnboundStatus(claim, "Pending"), events: type ? [{ about: "claim", type, reason, message }] : [] };
}

/** Hands a claim to the external provisioner of its class by the annotation that provisioners wait for. */
function planProvision({ metadata }: Claim, className: string, storageClass: Class | undefined): BinderPlan {
  if (!storageClass) return failed(`storageclass.storage.k8s.io "${className}" not found`);
  const { provisioner } = storageClass;
  if (provisioner.startsWith("kubernetes.io/")) return failed(`no volume plugin matched name: ${provisioner}`);
  const annotations = { [annotation.betaStorageProvisioner]: provisioner, [annotation.storageProvisioner]: provisioner };
  const told = metadata.annotations?.[annotation.storageProvisioner] === provisioner;
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. ` +
    "If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  return {
    patches: told ? [] : [{ target: "claim", part: "object", patch: { metadata: { annotations } } }],
    events: [{ about: "claim", type: "Normal", reason: "ExternalProvisioning", message }],
  };
}

function failed(message: string): BinderPlan {
  return { patches: [], events: [{ about: "claim", type: "Warning", reason: "ProvisioningFailed", message }] };
}
