import type { SecretPurpose, SecretRef } from "@csi-sidecars/controller";
import type { CreateVolumeRequest } from "@csi-sidecars/csi";
import type { ObjectRef } from "@csi-sidecars/kube";
import type { Claim, Class } from "../fields.ts";

/**
 * All that is decided before the driver is called. It stays as it is while a call may be running, whatever happens to the claim,
 * its class or its source meanwhile: the driver must be asked for the same volume until it answers. Secrets are no part of it.
 */
export interface Preparation {
  readonly volumeName: string;
  readonly claim: Claim;
  /** The claim's class as it is written, not translated. */
  readonly class: Class;
  readonly selectedNode: string | undefined;
  readonly request: Omit<CreateVolumeRequest, "secrets">;
  readonly secrets: Readonly<Partial<Record<SecretPurpose, SecretRef>>>;
  readonly fsType: string;
  /** Whether the answer must say what the volume was filled with. */
  readonly mustEchoSource: boolean;
  readonly source: ProtectedSource | undefined;
  /** For a class of the in-tree plugin that the driver replaced. */
  readonly migrated: boolean;
}

/** What must not go away while a volume is filled from it. */
export interface ProtectedSource {
  readonly kind: "snapshot" | "claim";
  readonly ref: Required<ObjectRef>;
}

/**
 * Why the driver was not called.
 * - `final`: nothing is running. `unchanged`: what was known before still holds.
 * - `reschedule`: the selected node will not do. `populator`: somebody else will provide the volume.
 */
export interface Refusal {
  readonly refused: "final" | "unchanged" | "reschedule" | "populator";
  readonly error: Error;
}

export function refuse(refused: Refusal["refused"], message: string, cause?: unknown): Refusal {
  return { refused, error: new Error(message, { cause }) };
}
