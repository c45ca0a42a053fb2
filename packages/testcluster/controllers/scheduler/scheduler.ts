import { done, objectEvents, requeueAfter } from "@csi-sidecars/controller";
import { type Client, type Key, PersistentVolume, PersistentVolumeClaim, Pod, refKey } from "@csi-sidecars/kube";
import { annotation } from "../annotations.ts";
import { candidateVolumes } from "../binder/match-volume.ts";
import { claimVolume } from "../binder/plan-bind.ts";
import { claimsOfPod, isTerminated } from "../claims.ts";
import {
  type Claim,
  type ClusterPod,
  capacityFields,
  claimFields,
  classFields,
  csiNodeFields,
  driverFields,
  nodeFields,
  podFields,
  volumeFields,
} from "../fields.ts";
import { type ClusterController, newController, retryOnConflict } from "../runtime/cluster-controller.ts";
import { Writer } from "../runtime/writer.ts";
import { planPod, type SchedulingPlan } from "./plan-pod.ts";
import { ProvisioningAttempts } from "./provisioning-attempts.ts";
import { unscheduledStatus } from "./unschedulable.ts";

/** A scheduler with the volume filters: pods are scheduled one after the other, on the node with the fewest pods that can reach their volumes. */
export const scheduler: ClusterController = (context) => {
  const { client, informers, clock } = context;
  const events = objectEvents(context.recorder("default-scheduler"), Pod);
  const writer = new Writer(client);
  const pods = informers.forFields(podFields);
  const claims = informers.forFields(claimFields);
  const volumes = informers.forFields(volumeFields);
  const classes = informers.forFields(classFields);
  const nodes = informers.forFields(nodeFields);
  const csiNodes = informers.forFields(csiNodeFields);
  const drivers = informers.forFields(driverFields);
  const capacities = informers.forFields(capacityFields);
  const controller = newController(context, {
    name: "scheduler",
    workers: 1,
    waitFor: [pods, claims, volumes, classes, nodes, csiNodes, drivers, capacities],
  });
  pods.addIndex("claim", claimsOfPod);
  pods.addIndex("node", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  csiNodes.addIndex("driver", ({ spec }) => spec.drivers.map(({ name }) => name));
  const { candidates } = candidateVolumes(volumes);

  const attempts = new ProvisioningAttempts();
  /** The last message of each unschedulable pod. Any change in the cluster may make it schedulable. */
  const waiting = new Map<Key, string>();
  /** Assigned pods whose node the cache does not show yet. */
  const assigned = new Map<Key, string>();

  const forget = (key: Key) => {
    attempts.forget(key);
    waiting.delete(key);
  };
  const addWaiting = () => {
    for (const key of waiting.keys()) controller.enqueue(key);
  };
  const onPod = (pod: ClusterPod) => {
    const key = refKey(pod.metadata);
    if (!pod.spec?.nodeName) return controller.enqueue(key);
    assigned.delete(key);
    forget(key);
    if (isTerminated(pod)) addWaiting();
  };
  pods.addHandler({
    onAdd: onPod,
    onUpdate: (_old, pod) => onPod(pod),
    onDelete(pod) {
      assigned.delete(refKey(pod.metadata));
      forget(refKey(pod.metadata));
      writer.forget(pod);
      addWaiting();
    },
  });
  const addPodsOf = ({ metadata }: Claim) => {
    for (const pod of pods.byIndex("claim", refKey(metadata))) if (!pod.spec?.nodeName) controller.enqueue(refKey(pod.metadata));
  };
  claims.addHandler({ onAdd: addPodsOf, onUpdate: (_old, claim) => addPodsOf(claim), onDelete: (claim) => writer.forget(claim) });
  for (const view of [nodes, csiNodes, classes, volumes, capacities, drivers]) {
    view.addHandler({ onAdd: addWaiting, onUpdate: addWaiting, onDelete: addWaiting });
  }

  const podsOn = (node: string) => [
    ...pods.byIndex("node", node),
    ...[...assigned].filter(([, it]) => it === node).flatMap(([key]) => pods.get(key) ?? []),
  ];
  const listers = {
    claimNamed: (key: Key) => claims.get(key),
    volumeNamed: (name: string) => volumes.get(name),
    classNamed: (name: string) => classes.get(name),
    candidates: (claim: Claim) => candidates(claim).filter((volume) => !writer.isStale(volume)),
    driverNamed: (name: string) => drivers.get(name),
    nodesOfDriver: (driver: string) => new Set(csiNodes.byIndex("driver", driver).map(({ metadata }) => metadata.name)),
    capacities: () => capacities.list(),
    nodes: () => nodes.list(),
    claimHolders: (key: Key) => pods.byIndex("claim", key).filter((pod) => pod.spec?.nodeName || assigned.has(refKey(pod.metadata))),
    podsOn: (node: string) => podsOn(node).length,
    volumeLimit: (node: string, driver: string) => csiNodes.get(node)?.spec.drivers.find(({ name }) => name === driver)?.allocatable?.count,
    volumesOn(node: string, driver: string) {
      const keys = podsOn(node)
        .filter((pod) => !isTerminated(pod))
        .flatMap(claimsOfPod);
      const sources = keys.flatMap((key) => volumes.get(claims.get(key)?.spec?.volumeName ?? "")?.spec?.csi ?? []);
      return new Set(sources.filter((csi) => csi.driver === driver).map(({ volumeHandle }) => volumeHandle));
    },
  };

  async function reserve(plan: SchedulingPlan & { step: "reserve" }, signal: AbortSignal): Promise<void> {
    for (const { claim, volume } of plan.bind) {
      for (const { part, patch } of claimVolume(volume, claim)) await writer.patch(PersistentVolume, volume, part, patch, signal);
    }
    const selected = { metadata: { annotations: { [annotation.selectedNode]: plan.node } } };
    for (const claim of plan.provision) await writer.patch(PersistentVolumeClaim, claim, "object", selected, signal);
  }

  async function reportUnschedulable(pod: ClusterPod, message: string | undefined, signal: AbortSignal): Promise<void> {
    const patch = message === undefined ? undefined : unscheduledStatus(pod, message, clock.now());
    if (patch) await writer.patch(Pod, pod, "status", patch, signal);
  }

  const reconcile = retryOnConflict(context.log.named("scheduler"), async (key, signal) => {
    const pod = pods.get(key);
    if (!pod || assigned.has(key) || writer.isStale(pod)) return done;
    if (claimsOfPod(pod).some((it) => isStale(claims.get(it), writer))) return done;
    let plan = planPod(pod, { ...listers, failed: attempts.failedNodes(key) });
    if (plan.step === "reserve" && plan.provision.length > 0) {
      const wait = attempts.gaveUp(key);
      if (wait > 0) return requeueAfter(wait);
      plan = planPod(pod, { ...listers, failed: attempts.failedNodes(key) });
    }
    switch (plan.step) {
      case "none":
        forget(key);
        return done;
      case "wait":
        if (plan.message && waiting.get(key) !== plan.message) events.warning(pod, "FailedScheduling", plan.message);
        waiting.set(key, plan.message ?? "");
        await reportUnschedulable(pod, plan.message, signal);
        return done;
      case "reserve":
        attempts.chose(key, plan.node);
        waiting.set(key, "");
        await reserve(plan, signal);
        return done;
      case "assign":
        await assignNode(client, pod, plan.node, signal);
        assigned.set(key, plan.node);
        events.normal(pod, "Scheduled", `Successfully assigned ${key} to ${plan.node}`);
        return done;
    }
  });
  return (signal) => controller.run(reconcile, signal);
};

const isStale = (claim: Claim | undefined, writer: Writer): boolean => claim !== undefined && writer.isStale(claim);

/** Assigns a pod to a node through the binding subresource. */
async function assignNode(client: Client, { metadata }: ClusterPod, node: string, signal: AbortSignal): Promise<void> {
  const { name, namespace = "", uid } = metadata;
  const target = { apiVersion: "v1", kind: "Node", name: node };
  const binding = { apiVersion: "v1", kind: "Binding", metadata: { name, namespace, uid }, target };
  await client.raw("POST", `/api/v1/namespaces/${namespace}/pods/${name}/binding`, binding, { signal });
}
