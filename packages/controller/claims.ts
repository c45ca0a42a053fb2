import { bytesOf, message } from "@csi-sidecars/base";
import { wellKnownAnnotation as annotation } from "@csi-sidecars/kube";

/** A driver, under its own name and that of the in-tree plugin it replaced, if it did. */
interface ProvisionerNames {
  readonly name: string;
  readonly inTreeName: string | undefined;
}

/** Whether a class or an annotation that names this provisioner means the driver. */
export function isProvisioner({ name, inTreeName }: ProvisionerNames, provisioner: string | undefined): boolean {
  return provisioner !== undefined && (provisioner === name || provisioner === inTreeName);
}

interface ClaimAnnotations {
  readonly [annotation.provisioner]?: string;
  readonly [annotation.betaProvisioner]?: string;
  readonly [annotation.migratedTo]?: string;
}

/** Whether the cluster leaves the claim to this driver, or to the in-tree plugin that it replaced. */
export function isClaimOurs(
  { metadata: { annotations = {} } }: { readonly metadata: { readonly annotations?: ClaimAnnotations } },
  driver: ProvisionerNames,
): boolean {
  const provisioner = annotations[annotation.provisioner] ?? annotations[annotation.betaProvisioner];
  const isNamed = provisioner === driver.name || annotations[annotation.migratedTo] === driver.name;
  return isNamed && isProvisioner(driver, provisioner);
}

/** The storage that a claim requests. */
export function requestedBytes({
  spec,
}: {
  readonly spec?: { readonly resources?: { readonly requests?: { readonly storage?: string | number } } };
}): bigint {
  return bytesOf(spec?.resources?.requests?.storage);
}

/** For a claim whose VolumeAttributesClass is not the driver's, in the words of upstream's provisioner. */
export const attributesClassOfOtherDriver = message(
  (name: string, theirs: string, ours: string) =>
    `VAC ${name} referenced in PVC is for driver ${theirs} which does not match driver name ${ours}`,
);
