import { bytesOf, messageOf } from "@csi-sidecars/base";
import { apiCallOptions, isLasting, wrapError } from "@csi-sidecars/controller";
import { wellKnownAnnotation as annotation, isConflict, type Key, type Patch, PersistentVolume } from "@csi-sidecars/kube";
import { claimName } from "../claim-key.ts";
import type { Claim, Volume } from "../fields.ts";
import { messages } from "../messages.ts";
import { writeClaim } from "../write-claim.ts";
import { markFinished, markNodePending } from "./claim-marks.ts";
import type { Expansion } from "./expand-call.ts";
import { capacityBytes, type Resize } from "./plan-resize.ts";
import { hasCondition } from "./resize-conditions.ts";
import type { ResizeContext } from "./resize-context.ts";
import { capacityPatch, noteRemovalPatch } from "./volume-patches.ts";

/**
 * Writes what the driver did: the volume's capacity, then the claim. What fails is retried without another call to the driver, and users
 * are warned only if it lasts.
 */
export async function saveExpansion(c: ResizeContext, resize: Resize, expansion: Expansion, signal: AbortSignal): Promise<void> {
  const { key, claim } = resize;
  try {
    await saveCapacity(c, resize, expansion, signal);
    await saveClaim(c, resize, expansion, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const failure = c.state.saveFailed(key, c.clock.monotonic());
    if (!isConflict(error) && isLasting(failure, c.clock.monotonic())) c.events.resizeFailed(claim, messageOf(error));
    throw error;
  }
  c.state.ended(key);
}

async function saveCapacity(c: ResizeContext, { claim, volume }: Resize, expansion: Expansion, signal: AbortSignal): Promise<void> {
  const { name, uid } = volume.metadata;
  const cached = c.volumes.get(name);
  const patch = capacityPatch(cached?.metadata.uid === uid ? cached : volume, claim, expansion, c);
  if (!patch) return;
  await patchVolume(c, volume, patch, signal).catch((error: unknown) => {
    const prefix = c.recovers ? `error updating pv "${name}" by resizer: ` : "";
    throw wrapError(`${prefix}updating capacity of PV "${name}" to ${expansion.capacity} failed`, error);
  });
}

async function saveClaim(c: ResizeContext, { key, claim }: Resize, expansion: Expansion, signal: AbortSignal): Promise<void> {
  const { capacity, nodeExpansionRequired } = expansion;
  const change = (newest: Claim) => {
    if (!nodeExpansionRequired) return markFinished(newest, capacity, c.marks());
    // Kubelet sees the volume's capacity before we have written this, and may have begun or ended its part by now.
    if (statusOf(newest) !== statusOf(claim)) return undefined;
    if (capacityBytes(newest) < bytesOf(capacity)) return markNodePending(newest, c.marks());
    // It had ended its part before we began. One that knows no statuses leaves them, and the same size would be asked for again.
    return statusOf(newest) === undefined ? undefined : markFinished(newest, newest.status?.capacity?.storage ?? capacity, c.marks());
  };
  const written = await writeClaim(c, claim, change, signal).catch((error: unknown) => {
    throw wrapError(failureText(claimName(key), nodeExpansionRequired, c.recovers), error);
  });
  if (written) report(c, written, expansion);
}

/**
 * Tells users of an expansion that the claim shows although it is not known to be saved: a write whose own answer was lost has done
 * that.
 */
export function reportSaved(c: ResizeContext, key: Key, claim: Claim): void {
  const expansion = c.state.unsaved(key);
  if (!expansion) return;
  const isFinished = capacityBytes(claim) >= bytesOf(expansion.capacity);
  const isLeftToNode = expansion.nodeExpansionRequired && hasCondition(claim.status?.conditions, "FileSystemResizePending");
  if (isFinished || isLeftToNode) report(c, claim, expansion);
}

function report({ events }: ResizeContext, claim: Claim, { nodeExpansionRequired }: Expansion): void {
  if (nodeExpansionRequired) events.nodeExpansionRequired(claim, messages.nodeExpansionRequired());
  else events.resized(claim, messages.resized());
}

function statusOf({ status }: Claim): string | undefined {
  return status?.allocatedResourceStatuses?.storage;
}

function failureText(claim: string, nodeExpansionRequired: boolean, recovers: boolean): string {
  if (!nodeExpansionRequired) return `${recovers ? "mark" : "Mark"} PVC "${claim}" as resize finished failed`;
  return `mark PVC "${claim}" as ${recovers ? "node expansion" : "file system resize"} required failed`;
}

/** Removes the noted size of the file system from a volume whose claim has all its capacity. Returns the volume as it is then. */
export async function removeNotedSize(c: ResizeContext, claim: Claim, volume: Volume, signal: AbortSignal): Promise<Volume> {
  const patch = c.annotatesSize ? noteRemovalPatch(volume, claim) : undefined;
  if (!patch) return volume;
  return patchVolume(c, volume, patch, signal).catch((error: unknown) => {
    throw wrapError(`failed removing annotation ${annotation.preResizeCapacity} from pv "${volume.metadata.name}"`, error);
  });
}

function patchVolume(c: ResizeContext, { metadata: { name } }: Volume, patch: Patch, signal: AbortSignal): Promise<Volume> {
  return c.volumes.write(name, () => c.kube.patch(PersistentVolume, { name }, patch, apiCallOptions(signal)));
}
