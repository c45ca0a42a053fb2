import { isClaimOurs, isProvisioner } from "@csi-sidecars/controller";
import { storageClassName } from "@csi-sidecars/kube";
import type { DriverInfo } from "../driver-capabilities.ts";
import type { Claim, Class } from "../fields.ts";
import { messages } from "../messages.ts";
import { annotation } from "../names.ts";
import { selectedNodeOf } from "../topology/selected-node.ts";

export type ProvisionPlan =
  | { readonly step: "none"; readonly because: "bound" | "not ours" | "foreign class" | "no node selected" }
  /** The claim is ours, but cannot be provisioned yet: it is retried. */
  | { readonly step: "report"; readonly message: string }
  | { readonly step: "provision"; readonly class: Class; readonly selectedNode: string | undefined };

type Names = Pick<DriverInfo, "name" | "inTreeName">;

/**
 * Whether a volume is to be created for the claim. Its deletionTimestamp does not matter: a call may have been running before a restart.
 * `needsNode`: whether a claim that is bound late waits for the scheduler, which selects no node for one that is deleted.
 */
export function planProvision(
  claim: Claim,
  classOf: (name: string) => Class | undefined,
  driver: Names,
  { needsNode = true } = {},
): ProvisionPlan {
  if (claim.spec?.volumeName) return { step: "none", because: "bound" };
  if (!isClaimOurs(claim, driver)) return { step: "none", because: "not ours" };
  const name = storageClassName(claim);
  const found = classOf(name);
  if (!found) return { step: "report", message: messages.classMissing(name) };
  const selectedNode = selectedNodeOf(claim.metadata.annotations);
  if (needsNode && found.volumeBindingMode === "WaitForFirstConsumer" && !claim.metadata.annotations?.[annotation.selectedNode]) {
    return { step: "none", because: "no node selected" };
  }
  if (!isProvisioner(driver, found.provisioner)) return { step: "none", because: "foreign class" };
  return { step: "provision", class: found, selectedNode };
}
