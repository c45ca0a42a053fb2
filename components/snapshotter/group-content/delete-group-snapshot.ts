import { goQuote, messageOf } from "@csi-sidecars/base";
import { wrapError } from "@csi-sidecars/controller";
import { Code, GrpcError } from "@csi-sidecars/csi";
import { isConflict } from "@csi-sidecars/kube";
import { annotatedCredentials, groupSnapshotSecrets } from "../credentials.ts";
import type { GroupContent } from "../fields.ts";
import { messages } from "../messages.ts";
import type { GroupContentContext } from "./group-content-context.ts";
import { groupMessages } from "./group-messages.ts";
import { memberHandles } from "./member-handles.ts";
import type { NamedGroup } from "./plan-group-content.ts";
import { clearStatus, release } from "./write-group-content.ts";

/** Deletes the group snapshot of a content, notes that in the status, and lets the content go. */
export async function deleteGroupSnapshot(
  c: GroupContentContext,
  content: GroupContent,
  group: NamedGroup,
  signal: AbortSignal,
): Promise<void> {
  const { uid } = content.metadata;
  if (!c.state.isDeleted(uid)) {
    await callDriver(c, content, group, signal);
    c.state.deleted(uid);
  }
  const cleared = await clearStatus(c, content, signal).catch((error: unknown) => fail(c, content, messages.clearFailed(), error, signal));
  if (cleared) await release(c, cleared, signal);
}

async function callDriver(
  c: GroupContentContext,
  content: GroupContent,
  { groupSnapshotId, snapshotIds: listed }: NamedGroup,
  signal: AbortSignal,
): Promise<void> {
  const { csi, timeoutMs, log } = c;
  const { name } = content.metadata;
  const secrets = await annotatedCredentials(c, groupSnapshotSecrets, content, signal).catch((error: unknown) => {
    const text = `failed to get input parameters to delete group snapshot for group snapshot content ${name}: ${goQuote(messageOf(error))}`;
    return fail(c, content, messages.credentialsUnreadable(), new Error(text, { cause: error }), signal);
  });
  const snapshotIds = listed.length > 0 ? listed : memberHandles(content, c.caches.members.list());
  try {
    if (snapshotIds.length === 0) throw new Error(groupMessages.nothingToDelete(name));
    await csi.groupController.deleteVolumeGroupSnapshot({ groupSnapshotId, snapshotIds, secrets }, { timeoutMs, signal, log });
  } catch (error) {
    // It has none to delete then, whatever an administrator has named.
    const takesNone = error instanceof GrpcError && error.code === Code.Unimplemented;
    if (takesNone && content.status?.volumeGroupSnapshotHandle === undefined) return;
    fail(c, content, groupMessages.deleteFailed(), wrapError(`failed to delete group snapshot ${goQuote(name)}, err`, error), signal);
  }
}

/** Tells users that the deletion failed, unless somebody else wrote the content at the same time; why is in the log. */
function fail(c: GroupContentContext, content: GroupContent, text: string, error: unknown, signal: AbortSignal): never {
  if (!signal.aborted && !isConflict(error)) c.events.deleteFailed(content, text);
  throw error;
}
