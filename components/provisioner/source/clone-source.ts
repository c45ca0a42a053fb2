import type { Result } from "@csi-sidecars/base";
import { apiCallOptions, requestedBytes } from "@csi-sidecars/controller";
import type { VolumeContentSource } from "@csi-sidecars/csi";
import { ignoreNotFound, PersistentVolume, PersistentVolumeClaim, refKey, type V1PersistentVolume } from "@csi-sidecars/kube";
import type { Claim, Class } from "../fields.ts";
import { messages } from "../messages.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { awaitsClones } from "./clone-protection.ts";
import { type FoundSource, type SourceOptions, withSource } from "./data-source.ts";

/** The name of the volume to clone, or why the source claim cannot be cloned. `isKept`: it is being deleted, and stays for this clone. */
export function clonedVolumeName(claim: Claim, source: Claim, isKept = false): Result<string> {
  const { name } = source.metadata;
  if (source.status?.phase !== "Bound") {
    return { error: `the PVC DataSource ${name} must have a status of Bound.  Got ${source.status?.phase ?? ""}` };
  }
  if (source.metadata.deletionTimestamp && !isKept) return { error: `the PVC DataSource ${name} is currently being deleted` };
  if (source.spec?.storageClassName === undefined) return { error: `the source PVC (${name}) storageclass cannot be empty` };
  if (claim.spec?.storageClassName === undefined)
    return { error: `the requested PVC (${claim.metadata.name}) storageclass cannot be empty` };
  const [wanted, least] = [requestedBytes(claim), requestedBytes(source)];
  if (wanted < least) {
    return { error: messages.smallerThanCloneSource(wanted, least) };
  }
  return source.spec.volumeName ? { value: source.spec.volumeName } : { error: `volume name is empty in source PVC ${name}` };
}

/** The content source of the volume, or why the source cannot be cloned. `volume` is the source's PersistentVolume as it is now. */
export function cloneSource(
  claim: Claim,
  source: Claim,
  volume: V1PersistentVolume | undefined,
  { provisioner }: Pick<Class, "provisioner">,
): Result<VolumeContentSource> {
  const { csi, claimRef, volumeMode } = volume?.spec ?? {};
  const { uid, namespace, name } = source.metadata;
  const bound = claimRef?.uid === uid && claimRef?.namespace === namespace && claimRef?.name === name && volume?.status?.phase === "Bound";
  if (!csi || csi.driver !== provisioner || !bound) return { error: messages.cloneSourceUnusable() };
  const [before, after] = [volumeMode ?? "Filesystem", claim.spec?.volumeMode ?? "Filesystem"];
  if (before !== after) {
    return { error: messages.cloneModeDiffers(before, after) };
  }
  return { value: { type: { $case: "volume", volume: { volumeId: csi.volumeHandle } } } };
}

/** Finds the volume to clone: the source claim in the cache, its PersistentVolume at the API server. */
export async function findClone(
  c: Pick<ProvisionerContext, "kube" | "claims">,
  options: SourceOptions,
  signal: AbortSignal,
): Promise<Result<FoundSource>> {
  const { source, claim } = options;
  const problem = (error: string): { readonly error: string } => ({ error: withSource(source, error) });
  const found = c.claims.get(refKey(source));
  if (!found) {
    const missing = `persistentvolumeclaim "${source.name}" not found`;
    return problem(`error getting PVC ${source.name} (namespace "${source.namespace}") from api server: ${missing}`);
  }
  const name = clonedVolumeName(claim, found, awaitsClones(found) && (await isOlder(c, claim, found, signal)));
  if (name.error !== undefined) return problem(name.error);
  const volume = await ignoreNotFound(c.kube.get(PersistentVolume, { name: name.value }, apiCallOptions(signal)));
  const content = cloneSource(claim, found, volume, options.class);
  return content.error === undefined ? { value: { kind: "claim", content: content.value, claim: found } } : problem(content.error);
}

/**
 * Whether a clone was asked for before its source was deleted. The source's finalizer then waits for this very clone: a process that
 * was restarted in between must go on, or both would wait forever. Later clones do not keep the source any longer.
 */
async function isOlder(
  { kube }: Pick<ProvisionerContext, "kube">,
  { metadata }: Claim,
  source: Claim,
  signal: AbortSignal,
): Promise<boolean> {
  const ref = { name: metadata.name, namespace: metadata.namespace };
  const { creationTimestamp } = (await kube.get(PersistentVolumeClaim, ref, apiCallOptions(signal))).metadata ?? {};
  return Date.parse(creationTimestamp ?? "") <= Date.parse(source.metadata.deletionTimestamp ?? "");
}
