import { messageOf } from "@csi-sidecars/base";
import { isLasting } from "@csi-sidecars/controller";
import { isConflict } from "@csi-sidecars/kube";
import type { GroupContent } from "../fields.ts";
import type { GroupContentContext } from "./group-content-context.ts";
import { groupMessages } from "./group-messages.ts";
import { isMarked, isPreProvisioned } from "./plan-group-content.ts";
import type { TakenGroup } from "./taken-group.ts";
import { unmark, writeGroup } from "./write-group-content.ts";

/**
 * Writes what the driver answered: only what changes, and nothing where a group snapshot is just not ready yet. What fails is retried without
 * another call to the driver, and users are warned only if it lasts. Returns the content as it is then; `undefined` if it is gone.
 */
export async function saveGroup(
  c: GroupContentContext,
  content: GroupContent,
  group: TakenGroup,
  signal: AbortSignal,
): Promise<GroupContent | undefined> {
  try {
    const written = await writeAnswer(c, content, group, signal);
    if (!written || !isMarked(written)) return written;
    return await unmark(c, written, signal).catch((error: unknown) => {
      throw new Error(groupMessages.unmarkFailed(content.metadata.name, messageOf(error)), { cause: error });
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const now = c.clock.monotonic();
    // The status is not told: it may say that the group snapshot is ready, and then that is so.
    const failure = c.state.saveFailed(content.metadata.uid, now);
    if (!isConflict(error) && isLasting(failure, now)) {
      c.events.checkFailed(content, groupMessages.checkFailed(messageOf(error)));
    }
    throw error;
  }
}

async function writeAnswer(
  c: GroupContentContext,
  content: GroupContent,
  group: TakenGroup,
  signal: AbortSignal,
): Promise<GroupContent | undefined> {
  return writeGroup(c, content, group, signal).catch((error: unknown) => {
    if (isPreProvisioned(content)) throw error;
    throw new Error(groupMessages.saveFailed(content.metadata.name, messageOf(error)), { cause: error });
  });
}
