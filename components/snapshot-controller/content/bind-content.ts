import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, finalizersPatch, patchNewest } from "@csi-sidecars/controller";
import { isAbort, isConflict, type JsonPatchOperation, jsonPatch, type Patch, snapshotFinalizer } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { eventReasons } from "../event-reasons.ts";
import type { Content, Snapshot } from "../fields.ts";
import { messages } from "../messages.ts";
import { reportProblem } from "../report-problem.ts";
import { isBoundTo } from "../snapshot/binding.ts";
import type { SyncPlan } from "../snapshot/plan-snapshot.ts";

type Binding = NonNullable<SyncPlan["bind"]>;

/** Binds a pre-provisioned content to the snapshot that it names, with its finalizer; `undefined` if it is gone or bound to another one by now. */
export async function bindContent(
  c: SnapshotControllerContext,
  snapshot: Snapshot,
  content: Content,
  binding: Binding,
  signal: AbortSignal,
): Promise<Content | undefined> {
  try {
    const plan = (newest: Content) => (isFor(newest, snapshot) ? bindPatch(newest, binding) : undefined);
    const bound = await patchNewest(c.contentTarget, content, plan, apiCallOptions(signal));
    return bound && isBoundTo(bound, snapshot) ? bound : undefined;
  } catch (error) {
    if (isAbort(error) || isConflict(error)) throw error;
    const problem = { reason: eventReasons.bindFailed.reason, message: messages.bindFailed(messageOf(error)), notReady: true };
    await reportProblem({ target: c.snapshotTarget, events: c.snapshotEvents, clock: c.clock }, snapshot, problem, signal);
    throw error;
  }
}

/** Whether a content names the snapshot. Its user may have changed that. */
function isFor({ spec }: Content, { metadata }: Snapshot): boolean {
  return spec?.volumeSnapshotRef?.name === metadata.name && spec.volumeSnapshotRef.namespace === metadata.namespace;
}

/** `undefined` where the content belongs to somebody else, or needs nothing. */
function bindPatch(content: Content, { uid, className }: Binding): Patch | undefined {
  const { volumeSnapshotRef: ref, volumeSnapshotClassName } = content.spec ?? {};
  const boundTo = ref?.uid ?? "";
  if (boundTo !== "" && boundTo !== uid) return undefined;
  const finalizers = finalizersPatch(content, { add: [snapshotFinalizer.content] });
  const ofThis: JsonPatchOperation = { op: "test", path: "/metadata/uid", value: content.metadata.uid };
  const isClassSet =
    className === undefined || volumeSnapshotClassName === className || (boundTo !== "" && volumeSnapshotClassName !== undefined);
  const changes: readonly JsonPatchOperation[] = [
    // Nobody else may bind it meanwhile, or give it to another one.
    ...(boundTo === "" ? [...refTests(ref), add("/spec/volumeSnapshotRef/uid", uid)] : []),
    ...(isClassSet ? [] : [add("/spec/volumeSnapshotClassName", className)]),
  ];
  if (changes.length === 0) return undefined;
  return jsonPatch([...(finalizers?.type === "json" ? finalizers.body : [ofThis]), ...changes]);
}

type Ref = NonNullable<Content["spec"]>["volumeSnapshotRef"];

function refTests(ref: Ref): readonly JsonPatchOperation[] {
  const test = (field: "name" | "namespace" | "uid"): JsonPatchOperation => {
    return { op: "test", path: `/spec/volumeSnapshotRef/${field}`, value: ref?.[field] ?? null };
  };
  return [test("name"), test("namespace"), test("uid")];
}

const add = (path: string, value: unknown): JsonPatchOperation => ({ op: "add", path, value });
