import { messageOf } from "@csi-sidecars/base";
import { Code, type CreateVolumeGroupSnapshotResponse, classifyFailure, GrpcError } from "@csi-sidecars/csi";
import { annotatedCredentials, type Credentials, groupSnapshotSecrets } from "../credentials.ts";
import type { GroupContent } from "../fields.ts";
import { type PlannedRequest, planRequest, takeFailed } from "./create-request.ts";
import { classOf, type GroupContentContext } from "./group-content-context.ts";
import { groupMessages } from "./group-messages.ts";
import { isAbandoned, isMarked } from "./plan-group-content.ts";
import { type TakenGroup, takenGroup } from "./taken-group.ts";
import { mark, unmark } from "./write-group-content.ts";

/**
 * Takes the group snapshot of a content, or asks whether it is ready. Before the first call the content is marked, so that it cannot go before
 * it is known what the driver has done; once its handle is stored there is nothing to lose, and no mark. Returns `undefined` where the driver
 * is not asked: the content is gone, or nobody wants the group snapshot any more. Throws in upstream's words.
 */
export async function takeGroupSnapshot(
  c: GroupContentContext,
  content: GroupContent,
  signal: AbortSignal,
): Promise<TakenGroup | undefined> {
  const { planned, secrets } = await createInput(c, content, signal);
  const isKnown = content.status?.volumeGroupSnapshotHandle !== undefined;
  if (isKnown || isMarked(content)) return callDriver(c, content, planned, secrets, signal);
  const marked = await mark(c, content, signal).catch((error: unknown) => {
    throw new Error(groupMessages.markFailed(content.metadata.name, messageOf(error)), { cause: error });
  });
  if (!marked) return undefined;
  if (!isAbandoned(marked)) return callDriver(c, marked, { ...planned, isFirst: true }, secrets, signal);
  // Its group was deleted in this moment. Nothing was sent, so nothing has to be waited for.
  await unmark(c, marked, signal);
  return undefined;
}

/** All that the call needs, read before the content is marked. */
async function createInput(
  c: GroupContentContext,
  content: GroupContent,
  signal: AbortSignal,
): Promise<{ readonly planned: PlannedRequest; readonly secrets: Credentials }> {
  const { name, uid } = content.metadata;
  const found = classOf(c, content);
  const groupClass = found?.driver === c.driver.name ? found : undefined;
  const className = content.spec?.volumeGroupSnapshotClassName;
  const { naming, extraMetadata, state } = c;
  const planned = planRequest(content, groupClass, { naming, extraMetadata, last: state.calledWith(uid) });
  if (className !== undefined && (!groupClass || planned.error !== undefined)) c.waiting.add(name, className);
  if (planned.error !== undefined) throw new Error(planned.error);
  const secrets = await annotatedCredentials(c, groupSnapshotSecrets, content, signal).catch((error: unknown) => {
    throw new Error(groupMessages.inputUnavailable(name, messageOf(error)), { cause: error });
  });
  return { planned: planned.value, secrets };
}

/** `isFirst`: nobody has called the driver before, as the content was marked only now. */
type Call = PlannedRequest & { readonly isFirst?: boolean };

async function callDriver(
  c: GroupContentContext,
  content: GroupContent,
  call: Call,
  secrets: Credentials,
  signal: AbortSignal,
): Promise<TakenGroup> {
  const { csi, timeoutMs, log, state } = c;
  const { uid } = content.metadata;
  if (!call.isGuess) state.calling(uid, call.parameters);
  const answer = await csi.groupController
    .createVolumeGroupSnapshot({ ...call.request, secrets }, { timeoutMs, signal, log })
    .catch(async (error: unknown) => {
      if (!signal.aborted) await noteFailure(c, content, call, error, signal);
      throw new Error(takeFailed(content, messageOf(error)), { cause: error });
    });
  const group = takenGroup(content, answer);
  if (group.error === undefined) return group.value;
  if (!hasHandle(answer)) await noteRefusal(c, content, call, signal);
  throw new Error(takeFailed(content, group.error));
}

/** An error may say that the driver has not taken a group snapshot. One that exists with other parameters than we could guess is ours. */
async function noteFailure(c: GroupContentContext, content: GroupContent, call: Call, error: unknown, signal: AbortSignal): Promise<void> {
  if (call.isGuess && error instanceof GrpcError && error.code === Code.AlreadyExists) return;
  const { kind } = classifyFailure("createSnapshot", error);
  if (kind === "uncertain") c.state.uncertain(content.metadata.uid);
  if (kind === "final" || (kind === "transient" && call.isFirst)) await noteRefusal(c, content, call, signal);
}

/** What has no handle can never be deleted: there is nothing to wait for. What has one is not forgotten, however wrong the rest is. */
function hasHandle({ groupSnapshot }: CreateVolumeGroupSnapshotResponse): boolean {
  return groupSnapshot !== undefined && groupSnapshot.groupSnapshotId !== "";
}

async function noteRefusal(c: GroupContentContext, content: GroupContent, { isFirst = false }: Call, signal: AbortSignal): Promise<void> {
  const { name, uid } = content.metadata;
  if (!c.state.refused(uid, isFirst) || !isMarked(content)) return;
  await unmark(c, content, signal).catch((error: unknown) => {
    throw new Error(groupMessages.unmarkAfterErrorFailed(name, messageOf(error)), { cause: error });
  });
}
