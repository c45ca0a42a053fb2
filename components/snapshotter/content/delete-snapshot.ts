import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, patchNewest, statusPatch, wrapError } from "@csi-sidecars/controller";
import { isConflict } from "@csi-sidecars/kube";
import { annotatedCredentials, snapshotSecrets } from "../credentials.ts";
import type { Content } from "../fields.ts";
import { messages } from "../messages.ts";
import type { ContentContext } from "./content-context.ts";
import { clearedStatus } from "./content-status.ts";

/**
 * Deletes the snapshot of a content, and says in the content that it is gone, so that the driver is not called twice if the content cannot be
 * let go yet. Returns the content as it is then; `undefined` if it is gone.
 */
export async function deleteSnapshot(c: ContentContext, content: Content, id: string, signal: AbortSignal): Promise<Content | undefined> {
  const { name, uid } = content.metadata;
  if (!c.state.isDeleted(uid)) {
    await callDriver(c, content, id, signal);
    c.state.deleted(uid);
  }
  const options = { ...apiCallOptions(signal), subresource: "status" } as const;
  try {
    return await patchNewest(c.target, content, (newest) => statusPatch(newest, clearedStatus), options);
  } catch (error) {
    if (!signal.aborted && !isConflict(error)) c.events.deleteFailed(content, messages.clearFailed());
    throw wrapError(`failed to clear the status of content ${name}`, error);
  }
}

async function callDriver(c: ContentContext, content: Content, snapshotId: string, signal: AbortSignal): Promise<void> {
  const { name } = content.metadata;
  const { timeoutMs, log } = c;
  const secrets = await annotatedCredentials(c, snapshotSecrets, content, signal).catch((error: unknown) => {
    if (!signal.aborted) c.events.deleteFailed(content, messages.credentialsUnreadable());
    throw new Error(messages.deleteInputUnavailable(name, messageOf(error)), { cause: error });
  });
  await c.csi.controller.deleteSnapshot({ snapshotId, secrets }, { timeoutMs, signal, log }).catch((error: unknown) => {
    if (!signal.aborted) c.events.deleteFailed(content, messages.deleteFailed());
    throw wrapError(`failed to delete snapshot ${snapshotId} of content ${name}`, error);
  });
}
