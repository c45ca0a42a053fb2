import { done, objectEvents, type ReconcileResult, requeueAfter } from "@csi-sidecars/controller";
import { type Key, PersistentVolumeClaim, Pod, refKey, type View } from "@csi-sidecars/kube";
import { claimsOfPod, isTerminated } from "../claims.ts";
import type { Claim, ClusterNode, ClusterPod, Volume } from "../fields.ts";
import { type ClusterContext, newController, retryOnConflict } from "../runtime/cluster-controller.ts";
import { NodeExpander, type NodeExpanderOptions, type VolumeUse } from "./node-expander.ts";

export interface ExpansionCaches {
  /** With an index `claim` of the claims they use. */
  readonly pods: View<ClusterPod>;
  readonly claims: View<Claim>;
  readonly volumes: View<Volume>;
  readonly nodes: View<ClusterNode>;
}

/**
 * The part of the kubelets that expands volumes: before a pod starts, and while it runs. Every use of a claim on a node is a key of its
 * own, because each kubelet retries for itself.
 */
export function expansionController(
  context: ClusterContext,
  options: ExpansionCaches & Pick<NodeExpanderOptions, "call"> & Pick<Parameters<typeof newController>[1], "waitFor">,
) {
  const { client, clock } = context;
  const { pods, claims, volumes, nodes, waitFor, call } = options;
  const recorder = context.recorder("kubelet");
  const podEvents = objectEvents(recorder, Pod);
  const claimEvents = objectEvents(recorder, PersistentVolumeClaim);
  const expander = new NodeExpander({ client, clock, call, podEvents, claimEvents });
  const controller = newController(context, { name: "kubelet-expansion", workers: 8, waitFor });

  const usesOf = (pod: ClusterPod): readonly VolumeUse[] =>
    claimsOfPod(pod).flatMap((key) => {
      const claim = claims.get(key);
      const volume = claim && volumes.get(claim.spec?.volumeName ?? "");
      const node = pod.spec?.nodeName;
      return volume && node ? [{ pod, node, claim, volume }] : [];
    });

  const reconcile = retryOnConflict(context.log.named("kubelet"), async (key, signal) => {
    const [node = "", namespace, name] = key.split("/");
    const claimKey: Key = `${namespace}/${name}`;
    const users = pods.byIndex("claim", claimKey).filter((pod) => pod.spec?.nodeName === node && !isTerminated(pod));
    if (users.length === 0) expander.forget(node, claimKey);
    const running = users.filter(({ status }) => status?.phase === "Running" && nodes.get(node));
    for (const use of running.flatMap(usesOf)) {
      if (refKey(use.claim.metadata) !== claimKey) continue;
      const postponed = await expander.expandMounted(use, signal);
      if (!postponed) continue;
      const what = `NodeExpandVolume.NodeExpandVolume failed for volume "${use.volume.metadata.name}"`;
      if (postponed.failure !== undefined) podEvents.warning(use.pod, "VolumeResizeFailed", `${what} : ${postponed.failure}`);
      return requeueAfter(postponed.waitMs);
    }
    return done;
  });

  return {
    /** The pod, or what it uses, has changed. */
    enqueue(pod: ClusterPod): void {
      for (const claim of claimsOfPod(pod)) controller.enqueue(`${pod.spec?.nodeName}/${claim}`);
    },
    /** Expands what is larger than its claim. Nothing where the pod can start. */
    async beforeStart(pod: ClusterPod, signal: AbortSignal): Promise<ReconcileResult | undefined> {
      for (const use of usesOf(pod)) {
        const postponed = await expander.expandDuringMount(use, signal);
        if (!postponed) continue;
        const what = `MountVolume.Setup failed while expanding volume for volume "${use.volume.metadata.name}"`;
        if (postponed.failure !== undefined) podEvents.warning(pod, "FailedMount", `${what} : ${postponed.failure}`);
        return requeueAfter(postponed.waitMs);
      }
      return undefined;
    },
    run: (signal: AbortSignal) => controller.run(reconcile, signal),
  };
}
