import type { SecretPurpose, SecretRef } from "@csi-sidecars/controller";
import type { CreateVolumeRequest } from "@csi-sidecars/csi";
import type { ObjectRef, V1PersistentVolume } from "@csi-sidecars/kube";
import type { Claim, Class } from "../fields.ts";

/**
 * All that is decided before CreateVolume is called. It stays as it is while a call may be running, whatever happens to the claim,
 * its class or its source meanwhile: the driver must be asked for the same volume until it answers. Secrets are read for each call.
 */
export interface ProvisionRequest {
  readonly volumeName: string;
  readonly claim: Claim;
  /** The claim's class as it is written, not translated. */
  readonly class: Class;
  readonly selectedNode: string | undefined;
  readonly createVolume: Omit<CreateVolumeRequest, "secrets">;
  readonly secrets: Readonly<Partial<Record<SecretPurpose, SecretRef>>>;
  readonly fsType: string;
  /** Whether the driver's response must name the content source. */
  readonly mustEchoSource: boolean;
  readonly source: ProtectedSource | undefined;
  /** For a class of the in-tree plugin that the driver replaced. */
  readonly migrated: boolean;
}

/** What must not be deleted while a volume is created from it. */
export interface ProtectedSource {
  readonly kind: "snapshot" | "claim";
  readonly ref: Required<ObjectRef>;
}

/**
 * Why there is no volume after an attempt.
 * - `final`: nothing is running, nothing was left. `infeasible`: the same request will not succeed.
 * - `uncertain`: a volume may exist or may be created yet; the same request must be repeated. `unchanged`: the driver was not reached.
 * - `reschedule`: the driver has no capacity for the selected node.
 */
export interface CreateFailure {
  readonly kind: "final" | "infeasible" | "uncertain" | "unchanged" | "reschedule";
  readonly error: Error;
}

export type CreateOutcome = { readonly kind: "created"; readonly volume: V1PersistentVolume; readonly volumeId: string } | CreateFailure;
