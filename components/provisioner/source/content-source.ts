import { messageOf, type Result } from "@csi-sidecars/base";
import { apiTimeoutMs, ignoreNotFound } from "@csi-sidecars/controller";
import type { VolumeContentSource } from "@csi-sidecars/csi";
import { PersistentVolume, PersistentVolumeClaim, type V1VolumeSnapshot, VolumeSnapshot, VolumeSnapshotContent } from "@csi-sidecars/kube";
import type { Claim, Class } from "../fields.ts";
import { messages } from "../messages.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { awaitsClones } from "./clone-protection.ts";
import { clonedVolumeName, cloneSource } from "./clone-source.ts";
import type { DataSource } from "./data-source.ts";
import { contentNameOf, snapshotSource } from "./snapshot-source.ts";

/** What the volume is filled from, with what is needed to keep it meanwhile. */
export type FoundSource =
  | { readonly kind: "snapshot"; readonly content: VolumeContentSource; readonly snapshot: V1VolumeSnapshot }
  | { readonly kind: "claim"; readonly content: VolumeContentSource; readonly claim: Claim };

type Lookup = Pick<ProvisionerContext, "kube" | "claims"> & { readonly settings: { readonly preventModeConversion: boolean } };

export interface SourceQuestion {
  readonly claim: Claim;
  /** Translated. */
  readonly class: Class;
  readonly source: DataSource;
}

/** Reads the snapshot and its content: neither is cached, and both must be right at this moment. */
export async function findSnapshot(c: Lookup, question: SourceQuestion, signal: AbortSignal): Promise<Result<FoundSource>> {
  const { source, claim } = question;
  const options = { signal, timeoutMs: apiTimeoutMs };
  const problem = (error: string): { readonly error: string } => ({ error: withSource(source, error) });
  let snapshot: V1VolumeSnapshot;
  try {
    snapshot = await c.kube.get(VolumeSnapshot, { name: source.name, namespace: source.namespace }, options);
  } catch (error) {
    return problem(messages.snapshotUnreadable(source.name, messageOf(error)));
  }
  const name = contentNameOf(snapshot);
  if (name.error !== undefined) return problem(name.error);
  try {
    const found = await c.kube.get(VolumeSnapshotContent, { name: name.value }, options);
    const content = snapshotSource({
      claim,
      class: question.class,
      snapshot,
      content: found,
      preventModeConversion: c.settings.preventModeConversion,
    });
    if (content.error !== undefined) return problem(content.error);
    return { value: { kind: "snapshot", content: content.value, snapshot } };
  } catch (error) {
    return problem(`error getting snapshotcontent ${name.value} for snapshot ${source.name}: ${messageOf(error)}`);
  }
}

/** The source claim comes from the cache, its volume from the API server. */
export async function findClone(c: Lookup, question: SourceQuestion, signal: AbortSignal): Promise<Result<FoundSource>> {
  const { source, claim } = question;
  const problem = (error: string): { readonly error: string } => ({ error: withSource(source, error) });
  const found = c.claims.get(`${source.namespace}/${source.name}`);
  if (!found) {
    const missing = `persistentvolumeclaim "${source.name}" not found`;
    return problem(`error getting PVC ${source.name} (namespace "${source.namespace}") from api server: ${missing}`);
  }
  const name = clonedVolumeName(claim, found, awaitsClones(found) && (await isOlder(c, claim, found, signal)));
  if (name.error !== undefined) return problem(name.error);
  const volume = await ignoreNotFound(c.kube.get(PersistentVolume, { name: name.value }, { signal, timeoutMs: apiTimeoutMs }));
  const content = cloneSource(claim, found, volume, question.class);
  return content.error === undefined ? { value: { kind: "claim", content: content.value, claim: found } } : problem(content.error);
}

/**
 * Whether a clone was asked for before its source was deleted. The source's finalizer then waits for this very clone: a process that
 * was started anew in between must go on, or both would wait forever. Later clones do not keep it any longer.
 */
async function isOlder({ kube }: Lookup, { metadata }: Claim, source: Claim, signal: AbortSignal): Promise<boolean> {
  const ref = { name: metadata.name, namespace: metadata.namespace };
  const { creationTimestamp } = (await kube.get(PersistentVolumeClaim, ref, { signal, timeoutMs: apiTimeoutMs })).metadata ?? {};
  return Date.parse(creationTimestamp ?? "") <= Date.parse(source.metadata.deletionTimestamp ?? "");
}

function withSource({ kind, name }: DataSource, cause: string): string {
  return `error getting handle for DataSource Type ${kind} by Name ${name}: ${cause}`;
}
