import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, isLasting, patchNewest, statusPatch } from "@csi-sidecars/controller";
import { isConflict } from "@csi-sidecars/kube";
import type { Content } from "../fields.ts";
import { messages } from "../messages.ts";
import type { ContentContext } from "./content-context.ts";
import { unmark } from "./content-marks.ts";
import { statusChanges } from "./content-status.ts";
import { isMarked } from "./plan-content.ts";
import type { TakenSnapshot } from "./taken-snapshot.ts";

/**
 * Writes what the driver answered: only what changes, and nothing where a snapshot is just not ready yet. What fails is retried without another
 * call to the driver, and users are warned only if it lasts. Returns the content as it is then; `undefined` if it is gone.
 */
export async function saveSnapshot(
  c: ContentContext,
  content: Content,
  snapshot: TakenSnapshot,
  signal: AbortSignal,
): Promise<Content | undefined> {
  const { name, uid } = content.metadata;
  try {
    const written = await writeStatus(c, content, snapshot, signal);
    if (written && snapshot.oddity !== undefined && content.status?.snapshotHandle === undefined) {
      c.events.checkFailed(written, messages.checkFailed(snapshot.oddity));
    }
    if (!written || !isMarked(written)) return written;
    return await unmark(c, written, signal).catch((error: unknown) => {
      throw new Error(messages.unmarkFailed(name, messageOf(error)), { cause: error });
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const failure = c.state.saveFailed(uid, c.clock.monotonic());
    if (!isConflict(error) && isLasting(failure, c.clock.monotonic()))
      c.events.checkFailed(content, messages.checkFailed(messageOf(error)));
    throw error;
  }
}

function writeStatus(c: ContentContext, content: Content, snapshot: TakenSnapshot, signal: AbortSignal): Promise<Content | undefined> {
  const { name } = content.metadata;
  const options = { ...apiCallOptions(signal), subresource: "status" } as const;
  const plan = (newest: Content) => statusPatch(newest, statusChanges(newest, snapshot));
  return patchNewest(c.target, content, plan, options).catch((error: unknown) => {
    throw new Error(messages.saveFailed(name, messages.writeFailed(name, messageOf(error))), { cause: error });
  });
}
