import { bytesOf, messageOf, type Result } from "@csi-sidecars/base";
import { apiCallOptions } from "@csi-sidecars/controller";
import type { VolumeContentSource } from "@csi-sidecars/csi";
import { keyOf, type V1VolumeSnapshot, type V1VolumeSnapshotContent, VolumeSnapshot, VolumeSnapshotContent } from "@csi-sidecars/kube";
import type { Claim, Class } from "../fields.ts";
import { messages } from "../messages.ts";
import { annotation, finalizer } from "../names.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { type FoundSource, type SourceOptions, withSource } from "./data-source.ts";

/** The name of the snapshot's content, or why it cannot be restored. A snapshot that an earlier attempt protected may be being deleted. */
export function contentNameOf({ metadata, status }: V1VolumeSnapshot): Result<string> {
  const { name, deletionTimestamp, finalizers = [] } = metadata ?? {};
  if (deletionTimestamp && !finalizers.includes(finalizer.snapshotSource)) return { error: messages.snapshotBeingDeleted(name) };
  const content = status?.boundVolumeSnapshotContentName;
  return content ? { value: content } : { error: messages.snapshotNotBound(name) };
}

export interface SnapshotRestore {
  readonly claim: Claim;
  readonly class: Pick<Class, "metadata" | "provisioner">;
  readonly snapshot: V1VolumeSnapshot;
  readonly content: V1VolumeSnapshotContent;
  /** `--prevent-volume-mode-conversion` */
  readonly preventModeConversion: boolean;
}

/** The content source of the volume, or why the snapshot cannot be restored to the claim. */
export function snapshotSource({
  claim,
  class: storageClass,
  snapshot,
  content,
  preventModeConversion,
}: SnapshotRestore): Result<VolumeContentSource> {
  const { name, namespace, uid } = snapshot.metadata ?? {};
  const ref = content.spec?.volumeSnapshotRef;
  if (ref?.uid !== uid || ref?.namespace !== namespace || ref?.name !== name)
    return { error: messages.contentOfOtherSnapshot(content.metadata?.name, name) };
  if (content.spec?.driver !== storageClass.provisioner) {
    return { error: messages.contentOfOtherDriver(content.metadata?.name, name, storageClass.metadata.name) };
  }
  if (!snapshot.status?.readyToUse) return { error: messages.snapshotNotReady(name) };
  const snapshotId = content.status?.snapshotHandle;
  if (!snapshotId) return { error: messages.snapshotHandleMissing(name) };
  const size = sizeProblem(claim, snapshot);
  if (size !== undefined) return { error: size };
  const mode = preventModeConversion && changesMode(claim, content) ? modeProblem(content) : undefined;
  if (mode !== undefined) {
    const whose = keyOf(claim);
    return {
      error: messages.modeChanged(whose, mode),
    };
  }
  return { value: { type: { $case: "snapshot", snapshot: { snapshotId } } } };
}

function sizeProblem({ metadata: claim, spec }: Claim, { metadata, status }: V1VolumeSnapshot): string | undefined {
  if (status?.restoreSize === undefined) return undefined;
  const requested = spec?.resources?.requests?.storage;
  if (requested === undefined) return `error getting capacity for PVC ${claim.name} when creating snapshot ${metadata?.name}`;
  const [wanted, least] = [bytesOf(requested), bytesOf(status.restoreSize)];
  if (wanted >= least) return undefined;
  return messages.smallerThanSnapshot(wanted, least, metadata?.name);
}

function changesMode({ spec }: Claim, content: V1VolumeSnapshotContent): boolean {
  const [before, after] = [content.spec?.sourceVolumeMode, spec?.volumeMode];
  return before !== undefined && after !== undefined && before !== after;
}

/** Why the content does not allow another mode; the values are those of Go's ParseBool. */
function modeProblem({ metadata }: V1VolumeSnapshotContent): string | undefined {
  const name = annotation.allowModeChange;
  const value = metadata?.annotations?.[name];
  if (value === undefined) return `${name} annotation is not present on snapshotcontent ${metadata?.name}`;
  if (/^(1|[tT]|TRUE|[tT]rue)$/.test(value)) return undefined;
  if (/^(0|[fF]|FALSE|[fF]alse)$/.test(value)) return `${name} is set to false on snapshotcontent ${metadata?.name}`;
  const reason = `strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`;
  return `failed to convert ${name} annotation value to boolean with error: ${reason}`;
}

/** Reads the snapshot and its content: neither is cached, and both must be right at this moment. */
export async function findSnapshot(
  c: Pick<ProvisionerContext, "kube" | "settings">,
  options: SourceOptions,
  signal: AbortSignal,
): Promise<Result<FoundSource>> {
  const { source, claim } = options;
  const callOptions = apiCallOptions(signal);
  const problem = (error: string): { readonly error: string } => ({ error: withSource(source, error) });
  let snapshot: V1VolumeSnapshot;
  try {
    snapshot = await c.kube.get(VolumeSnapshot, { name: source.name, namespace: source.namespace }, callOptions);
  } catch (error) {
    return problem(messages.snapshotUnreadable(source.name, messageOf(error)));
  }
  const name = contentNameOf(snapshot);
  if (name.error !== undefined) return problem(name.error);
  try {
    const found = await c.kube.get(VolumeSnapshotContent, { name: name.value }, callOptions);
    const content = snapshotSource({
      claim,
      class: options.class,
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
