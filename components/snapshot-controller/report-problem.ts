import type { Clock } from "@csi-sidecars/base";
import { apiCallOptions, type ObjectEvents, type PatchTarget, patchNewest, statusPatch } from "@csi-sidecars/controller";
import { type Cached, type KubeObject, metav1Time, type SnapshotError } from "@csi-sidecars/kube";

/** What is wrong with a snapshot or a group snapshot: a warning, and the error in its status. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
  /** Whether it cannot be used any more, or not yet. */
  readonly notReady?: boolean;
}

interface Status {
  readonly readyToUse?: boolean;
  readonly error?: SnapshotError;
}

interface Reporter<T extends KubeObject, P extends Cached> {
  readonly target: PatchTarget<T, P>;
  readonly events: Pick<ObjectEvents, "warning">;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Tells the user of a problem, once: one that the status shows already is not told again. The event is emitted whether or not the status can
 * be written. Throws where it cannot.
 */
export async function reportProblem<T extends KubeObject, P extends Cached & { readonly status?: Status }>(
  { target, events, clock }: Reporter<T, P>,
  object: P,
  problem: Problem,
  signal: AbortSignal,
): Promise<void> {
  if (object.status?.error?.message !== problem.message) events.warning(object, problem.reason, problem.message);
  const plan = (newest: P) => statusPatch<Status>(newest, problemChanges(newest.status, problem, clock.now()));
  await patchNewest(target, object, plan, { ...apiCallOptions(signal), subresource: "status" });
}

/** What the status lacks of the problem. */
export function problemChanges(status: Status | undefined, { message, notReady }: Problem, now: number): Status {
  return {
    ...(status?.error?.message !== message && { error: { time: metav1Time(now), message } }),
    ...(notReady && status?.readyToUse !== false && { readyToUse: false }),
  };
}
