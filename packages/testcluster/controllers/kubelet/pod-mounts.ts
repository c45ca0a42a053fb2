import { messageOf } from "@csi-sidecars/base";
import { objectEvents, type ReconcileResult, requeueAfter } from "@csi-sidecars/controller";
import { isConflict, isNotFound, Pod } from "@csi-sidecars/kube";
import { claimsOfPod } from "../claims.ts";
import type { ClusterPod } from "../fields.ts";
import type { ClusterContext } from "../runtime/cluster-controller.ts";
import type { NodeHooks } from "./kubelet.ts";
import { pauseAfter } from "./pause-after.ts";

/** The hooks, by the reason of the event when they fail. */
const hookOf = { FailedMount: "mount", FailedUnmount: "unmount" } as const;

interface Attempts {
  failures: number;
  pausedUntil: number;
}

/** Calls the hooks for the volumes of pods. What fails is told in the pod's events, and tried again after a pause, as kubelets do. */
export function podMounts({ clock, recorder }: Pick<ClusterContext, "clock" | "recorder">, hooks: NodeHooks) {
  const events = objectEvents(recorder("kubelet"), Pod);
  const failing = new Map<string, Attempts>();

  /** `undefined` on success. */
  async function attempt(pod: ClusterPod, reason: keyof typeof hookOf, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const key = `${reason} ${pod.metadata.uid}`;
    const attempts = failing.get(key) ?? { failures: 0, pausedUntil: 0 };
    const tooEarlyMs = attempts.pausedUntil - clock.monotonic();
    if (tooEarlyMs > 0) return requeueAfter(tooEarlyMs);
    try {
      await hooks[hookOf[reason]]?.(pod, signal);
      failing.delete(key);
      return undefined;
    } catch (error) {
      if (signal.aborted || isConflict(error) || isNotFound(error)) throw error;
      const waitMs = pauseAfter(attempts.failures);
      failing.set(key, { failures: attempts.failures + 1, pausedUntil: clock.monotonic() + waitMs });
      events.warning(pod, reason, messageOf(error));
      return requeueAfter(waitMs);
    }
  }

  return {
    async mount(pod: ClusterPod, signal: AbortSignal): Promise<ReconcileResult | undefined> {
      const why = claimsOfPod(pod).length > 0 ? hooks.whyNotMounted?.(pod) : undefined;
      if (why === undefined) return attempt(pod, "FailedMount", signal);
      events.warning(pod, "VolumeNotMounted", why);
      return undefined;
    },
    unmount: (pod: ClusterPod, signal: AbortSignal) => attempt(pod, "FailedUnmount", signal),
    forget({ metadata: { uid } }: ClusterPod): void {
      for (const reason of Object.keys(hookOf)) failing.delete(`${reason} ${uid}`);
    },
  };
}
