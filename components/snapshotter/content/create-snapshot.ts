import { messageOf } from "@csi-sidecars/base";
import { Code, classifyFailure, GrpcError } from "@csi-sidecars/csi";
import { isConflict } from "@csi-sidecars/kube";
import type { Content } from "../fields.ts";
import { messages } from "../messages.ts";
import type { ContentContext } from "./content-context.ts";
import { mark, unmark } from "./content-marks.ts";
import { type CreateInput, createInput } from "./create-input.ts";
import { isAbandoned, isMarked } from "./plan-content.ts";
import { type TakenSnapshot, takenSnapshot } from "./taken-snapshot.ts";

/** What came of asking the driver for a snapshot. */
export type Outcome =
  | { readonly kind: "answered"; readonly snapshot: TakenSnapshot }
  | { readonly kind: "failed"; readonly message: string }
  /** It was not asked: nobody wants the snapshot any more. */
  | { readonly kind: "moot" }
  /** It was not asked: the content is gone, which the watch may not show yet. */
  | { readonly kind: "gone" };

export const failed = (message: string): Outcome => ({ kind: "failed", message });

/**
 * Takes the snapshot of a content, or asks whether it is ready. Before the first call the content is marked, so that it cannot go before it is
 * known what the driver has done; once its handle is stored there is nothing to lose, and no mark.
 */
export async function createSnapshot(c: ContentContext, content: Content, signal: AbortSignal): Promise<Outcome> {
  const input = await createInput(c, content, signal);
  if (input.error !== undefined) return failed(input.error);
  if (content.status?.snapshotHandle !== undefined || isMarked(content)) return call(c, content, input.value, false, signal);
  const { name } = content.metadata;
  let marked: Content | undefined;
  try {
    marked = await mark(c, content, signal);
  } catch (error) {
    if (signal.aborted || isConflict(error)) throw error;
    return failed(messages.markFailed(name, messageOf(error)));
  }
  if (!marked) return { kind: "gone" };
  // Its VolumeSnapshot was deleted in this moment. Nothing was sent, so nothing has to be waited for.
  if (isAbandoned(marked)) {
    await unmark(c, marked, signal);
    return { kind: "moot" };
  }
  return call(c, marked, input.value, true, signal);
}

async function call(
  c: ContentContext,
  content: Content,
  { request, parameters, isGuess }: CreateInput,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<Outcome> {
  const { uid } = content.metadata;
  const { timeoutMs, log } = c;
  if (!isGuess) c.state.calling(uid, parameters);
  let isRefused = true;
  let problem: string;
  try {
    const { snapshot } = await c.csi.controller.createSnapshot(request, { timeoutMs, signal, log });
    const taken = takenSnapshot(snapshot, content.status?.snapshotHandle, c.clock.now());
    if (taken.error === undefined) return { kind: "answered", snapshot: taken.value };
    problem = taken.error;
  } catch (error) {
    if (signal.aborted) throw error;
    const { kind } = classifyFailure("createSnapshot", error);
    isRefused = (kind === "final" || (kind === "transient" && isFirst)) && !(isGuess && isOfOtherParameters(error));
    if (kind === "uncertain") c.state.uncertain(uid);
    problem = messageOf(error);
  }
  if (isRefused && c.state.refused(uid, isFirst) && isMarked(content)) {
    try {
      await unmark(c, content, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (!isConflict(error)) return failed(messages.unmarkAfterErrorFailed(content.metadata.name, messageOf(error)));
    }
  }
  return failed(messages.takeFailed(request.sourceVolumeId, problem));
}

/** A snapshot that exists with other parameters than we could guess is ours. */
function isOfOtherParameters(error: unknown): boolean {
  return error instanceof GrpcError && error.code === Code.AlreadyExists;
}
