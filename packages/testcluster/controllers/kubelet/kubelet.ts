import { done, runAll } from "@csi-sidecars/controller";
import { ignoreNotFound, type Key, Node, Pod, refKey } from "@csi-sidecars/kube";
import { annotation } from "../annotations.ts";
import { claimKeyOf } from "../binder/match-volume.ts";
import { claimsOfPod } from "../claims.ts";
import {
  type Attachment,
  attachmentFields,
  type ClusterPod,
  claimFields,
  driverFields,
  nodeFields,
  podFields,
  volumeFields,
} from "../fields.ts";
import { type ClusterController, newController, retryOnConflict } from "../runtime/cluster-controller.ts";
import { Writer } from "../runtime/writer.ts";
import { expansionController } from "./expansion-controller.ts";
import type { NodeExpansionFailure } from "./expansion-failure.ts";
import type { NodeExpansion } from "./node-expander.ts";
import { planPodRun, runningStatus, volumesInUse } from "./plan-pod-run.ts";
import { podMounts } from "./pod-mounts.ts";

/** Hooks for the node service of a driver. A hook that rejects is retried, and the pod's events say why. */
export interface NodeHooks {
  /** Why the volumes of the pod are not mounted although it runs, told in its events; `undefined` where they are. */
  whyNotMounted?(pod: ClusterPod): string | undefined;
  /** All volumes of the pod are attached: stage and publish them. */
  mount?(pod: ClusterPod, signal: AbortSignal): Promise<void>;
  /** The pod terminates: unpublish and unstage its volumes. */
  unmount?(pod: ClusterPod, signal: AbortSignal): Promise<void>;
  /** The pod is gone, perhaps by a force deletion: unpublish and unstage what is left of it. */
  cleanUp?(pod: Key, signal: AbortSignal): Promise<void>;
  /** NodeExpandVolume of a volume that is mounted; resolves with `undefined` on success, which it is without this hook. */
  expand?(expansion: NodeExpansion, signal: AbortSignal): Promise<NodeExpansionFailure | undefined>;
}

/** Stands in for the kubelets of all nodes: pods run when their volumes are attached, and terminate when they are deleted. */
export const kubelet =
  (hooks: NodeHooks = {}): ClusterController =>
  (context) => {
    const { client, informers, clock } = context;
    const log = context.log.named("kubelet");
    const writer = new Writer(client);
    const pods = informers.forFields(podFields);
    const claims = informers.forFields(claimFields);
    const volumes = informers.forFields(volumeFields);
    const drivers = informers.forFields(driverFields);
    const nodes = informers.forFields(nodeFields);
    const attachments = informers.forFields(attachmentFields);
    const waitFor = [pods, claims, volumes, drivers, nodes, attachments];
    const podController = newController(context, { name: "kubelet-pods", workers: 8, waitFor });
    const nodeController = newController(context, { name: "kubelet-node-status", workers: 4, waitFor });
    pods.addIndex("claim", claimsOfPod);
    pods.addIndex("node", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
    const mounts = podMounts(context, hooks);
    const call = async (expansion: NodeExpansion, signal: AbortSignal) => hooks.expand?.(expansion, signal);
    const expansion = expansionController(context, { pods, claims, volumes, nodes, waitFor, call });

    const addPod = (pod: ClusterPod) => {
      if (!pod.spec?.nodeName) return;
      podController.enqueue(refKey(pod.metadata));
      if (pod.spec.volumes?.length) nodeController.enqueue(pod.spec.nodeName);
      expansion.enqueue(pod);
    };
    const addPodsOf = (claim: Key) => {
      for (const pod of pods.byIndex("claim", claim)) addPod(pod);
    };
    const addPodsOn = (node: string) => {
      for (const pod of pods.byIndex("node", node)) addPod(pod);
    };
    const addAttachment = ({ spec }: Attachment) => {
      const volume = volumes.get(spec.source.persistentVolumeName ?? "");
      addPodsOf((volume && claimKeyOf(volume)) ?? "");
    };
    pods.addHandler({
      onAdd: addPod,
      onUpdate: (_old, pod) => addPod(pod),
      onDelete(pod) {
        writer.forget(pod);
        mounts.forget(pod);
        if (!pod.spec?.nodeName) return;
        if (hooks.cleanUp) podController.enqueue(refKey(pod.metadata));
        nodeController.enqueue(pod.spec.nodeName);
        expansion.enqueue(pod);
      },
    });
    claims.addHandler({
      onAdd: ({ metadata }) => addPodsOf(refKey(metadata)),
      onUpdate: (_old, { metadata }) => addPodsOf(refKey(metadata)),
    });
    volumes.addHandler({
      onAdd: (volume) => addPodsOf(claimKeyOf(volume) ?? ""),
      onUpdate: (_old, volume) => addPodsOf(claimKeyOf(volume) ?? ""),
    });
    nodes.addHandler({
      onAdd({ metadata }) {
        nodeController.enqueue(metadata.name);
        addPodsOn(metadata.name);
      },
      // Shows our own write: what changed since then could not be reported before.
      onUpdate: (_old, { metadata }) => nodeController.enqueue(metadata.name),
      onDelete: (node) => writer.forget(node),
    });
    attachments.addHandler({ onAdd: addAttachment, onUpdate: (_old, attachment) => addAttachment(attachment) });

    const listers = {
      claimNamed: (key: Key) => claims.get(key),
      volumeNamed: (name: string) => volumes.get(name),
      driverNamed: (name: string) => drivers.get(name),
      attachmentNamed: (name: string) => attachments.get(name),
    };

    const reconcilePod = retryOnConflict(log, async (key, signal) => {
      const pod = pods.get(key);
      if (!pod) await hooks.cleanUp?.(key, signal);
      if (!pod || !nodes.get(pod.spec?.nodeName ?? "") || writer.isStale(pod)) return done;
      const plan = planPodRun(pod, listers);
      switch (plan.step) {
        case "none":
          return done;
        case "wait":
          log.v(4).info("Pod waits for its volumes", { pod: key, because: plan.because });
          return done;
        case "run": {
          const later = (await mounts.mount(pod, signal)) ?? (await expansion.beforeStart(pod, signal));
          if (later) return later;
          await writer.patch(Pod, pod, "status", runningStatus(pod, clock.now()), signal);
          return done;
        }
        case "finish": {
          const later = await mounts.unmount(pod, signal);
          if (later) return later;
          const { uid } = pod.metadata;
          await ignoreNotFound(client.delete(Pod, pod.metadata, { signal, gracePeriodSeconds: 0, preconditions: { uid } }));
          return done;
        }
      }
    });

    const reconcileNode = retryOnConflict(log, async (name, signal) => {
      const node = nodes.get(name);
      if (!node || writer.isStale(node)) return done;
      if (node.metadata.annotations?.[annotation.managedAttach] === undefined) {
        await writer.patch(Node, node, "object", { metadata: { annotations: { [annotation.managedAttach]: "true" } } }, signal);
      }
      const inUse = volumesInUse(pods.byIndex("node", name), listers);
      if (inUse.join() === (node.status?.volumesInUse ?? []).join()) return done;
      await writer.patch(Node, node, "status", { status: { volumesInUse: inUse.length > 0 ? inUse : null } }, signal);
      return done;
    });

    return (signal) =>
      runAll([podController.run(reconcilePod, signal), nodeController.run(reconcileNode, signal), expansion.run(signal)], signal);
  };
