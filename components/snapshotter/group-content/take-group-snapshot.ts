import { messageOf } from "@csi-sidecars/base";
import { Code, classifyFailure, GrpcError } from "@csi-sidecars/csi";
import { annotatedCredentials, groupSnapshotSecrets } from "../credentials.ts";
import type { GroupContent } from "../fields.ts";
import { type PlannedRequest, planRequest, takeFailed } from "./create-request.ts";
import { classOf, type GroupContentContext } from "./group-content-context.ts";
import { groupMessages } from "./group-messages.ts";
import { isAbandoned, isMarked } from "./plan-group-content.ts";
import { type TakenGroup, takenGroup } from "./taken-group.ts";
import { mark, saveGroup, unmark } from "./write-group-content.ts";

/**
 * Takes the group snapshot of a content, or asks whether it is ready, and saves what the driver says. Returns the content as it is then;
 * `undefined` if it is gone. Throws in upstream's words.
 */
export async function takeGroupSnapshot(
  c: GroupContentContext,
  content: GroupContent,
  signal: AbortSignal,
): Promise<GroupContent | undefined> {
  const { uid, name } = content.metadata;
  const unsaved = c.memory.unsaved(uid);
  if (unsaved) return saveTaken(c, content, unsaved, signal);
  const planned = planRequest(content, classOf(c, content), { ...c.create, last: c.memory.request(uid) });
  if (planned.error !== undefined) throw new Error(planned.error);
  const secrets = await annotatedCredentials(c, groupSnapshotSecrets, content, signal).catch((error: unknown) => {
    throw new Error(groupMessages.inputUnavailable(name, messageOf(error)), { cause: error });
  });
  const marked = await markUnlessKnown(c, content, signal);
  if (!marked) return undefined;
  // Its group was deleted meanwhile, and the driver has not been asked for anything.
  if (!isMarked(content) && isAbandoned(marked)) return unmark(c, marked, signal);
  c.memory.asked(uid, planned.value.request);
  const group = await callDriver(c, marked, planned.value, secrets, signal);
  c.memory.answered(uid, group, c.clock.monotonic());
  return saveTaken(c, marked, group, signal);
}

/** Once the handle is known, a repeated call leaks nothing. */
async function markUnlessKnown(c: GroupContentContext, content: GroupContent, signal: AbortSignal): Promise<GroupContent | undefined> {
  if (content.status?.volumeGroupSnapshotHandle !== undefined) return content;
  return mark(c, content, signal).catch((error: unknown) => {
    throw new Error(groupMessages.markFailed(content.metadata.name, messageOf(error)), { cause: error });
  });
}

async function callDriver(
  c: GroupContentContext,
  content: GroupContent,
  { request, isGuess }: PlannedRequest,
  secrets: Record<string, string>,
  signal: AbortSignal,
): Promise<TakenGroup> {
  const { csi, timeoutMs, log } = c;
  const answer = await csi.groupController
    .createVolumeGroupSnapshot({ ...request, secrets }, { timeoutMs, signal, log })
    .catch(async (error: unknown) => {
      if (!signal.aborted && isFinal(error, isGuess)) await unmarkAfterError(c, content, signal);
      throw new Error(takeFailed(content, messageOf(error)), { cause: error });
    });
  const group = takenGroup(content, answer);
  // What the driver did is not known: the content stays marked.
  if (group.error !== undefined) throw new Error(takeFailed(content, group.error));
  return group.value;
}

/** Whether the driver has not taken the group snapshot. One that exists with other parameters than we could guess is ours. */
function isFinal(error: unknown, isGuess: boolean): boolean {
  if (isGuess && error instanceof GrpcError && error.code === Code.AlreadyExists) return false;
  return classifyFailure("createSnapshot", error).kind === "final";
}

async function unmarkAfterError(c: GroupContentContext, content: GroupContent, signal: AbortSignal): Promise<void> {
  await unmark(c, content, signal).catch((error: unknown) => {
    throw new Error(groupMessages.unmarkAfterErrorFailed(content.metadata.name, messageOf(error)), { cause: error });
  });
}

async function saveTaken(
  c: GroupContentContext,
  content: GroupContent,
  group: TakenGroup,
  signal: AbortSignal,
): Promise<GroupContent | undefined> {
  const { uid, name } = content.metadata;
  const saved = await saveGroup(c, content, group, signal).catch((error: unknown) => {
    throw new Error(groupMessages.saveFailed(name, messageOf(error)), { cause: error });
  });
  const unmarked =
    saved &&
    (await unmark(c, saved, signal).catch((error: unknown) => {
      throw new Error(groupMessages.unmarkFailed(name, messageOf(error)), { cause: error });
    }));
  c.memory.saved(uid);
  return unmarked;
}
