import {
  type KubeObject,
  mergePatch,
  metav1Time,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type Resource,
  type V1Pod,
} from "@csi-sidecars/kube";
import { type HealthWorld, startWorld, type WorldOptions } from "../../testing/health-world.ts";
import { type BoundClaim, inDefault, volumeNameOf } from "../../testing/objects.ts";
import { SeenVersions } from "./seen-versions.ts";

/** `--node-not-ready-duration` */
export const limitMs = 300_000;

/** A pod in the namespace `default`. */
interface PodParts {
  /** Not scheduled yet without one. */
  readonly node?: string;
  readonly claims?: readonly string[];
  /** Beside those of the claims. */
  readonly volumes?: NonNullable<V1Pod["spec"]>["volumes"];
}

/** The status of a node's Ready condition; `none` for a node that has none. */
export type ReadyStatus = "True" | "False" | "Unknown" | "none";

/** The world of a health monitor that watches nodes. What the test writes is in the caches of the component when the call returns. */
export interface NodeWorld extends HealthWorld {
  addPod(name: string, parts: PodParts): Promise<V1Pod>;
  /** Assigns a pod to a node, as the scheduler does. */
  bindPod(name: string, node: string): Promise<void>;
  endPod(name: string, phase: "Succeeded" | "Failed"): Promise<void>;
  removePod(name: string): Promise<void>;
  /** Creates a node that is ready unless told, since now unless told. */
  addNode(name: string, status?: ReadyStatus, sinceMs?: number): Promise<void>;
  setReady(name: string, status: ReadyStatus, sinceMs?: number): Promise<void>;
  terminate(node: string): Promise<void>;
  removeNode(name: string): Promise<void>;
  /** Waits until the component has found, so many times, that the node is down and its claims are not to be told yet. */
  untilWaiting(node: string, times?: number): Promise<void>;
  /** Waits until another node has failed, and a claim was told: all that was due before has been done. */
  witness(): Promise<void>;
}

export async function startNodeWorld({ flags, stopped = false, ...others }: WorldOptions = {}): Promise<NodeWorld> {
  const caches = new SeenVersions();
  const base = await startWorld({
    ...{ stopped, ...others },
    flags: { enableNodeWatcher: true, nodeNotReadyDuration: limitMs, ...flags },
    wrapClient: (client, about) => (about.name === "informers" ? caches.client(client) : (others.wrapClient?.(client, about) ?? client)),
  });
  const { admin, clock, log } = base;
  let witnesses = 0;
  let runs = 0;
  let isRunning = false;
  const began = async () => {
    runs++;
    await base.untilTrue(() => log.lines.filter(({ message }) => message === "Watching nodes").length >= runs);
    isRunning = true;
  };
  const seen = async <T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> => {
    if (isRunning) await caches.reached(resource, object);
    return object;
  };
  const patchStatus = async (name: string, status: object) => {
    await seen(Node, await admin.patch(Node, { name }, mergePatch({ status }), { subresource: "status" }));
  };

  const world: NodeWorld = {
    ...base,
    get dead() {
      return base.dead;
    },
    async run() {
      await base.run();
      await began();
    },
    async kill() {
      isRunning = false;
      await base.kill();
    },
    async addClaim(parts: BoundClaim = {}) {
      const { name = "data" } = parts;
      const claim = await base.addClaim(parts);
      await seen(PersistentVolumeClaim, await admin.get(PersistentVolumeClaim, inDefault(name)));
      await seen(PersistentVolume, await admin.get(PersistentVolume, { name: volumeNameOf(name) }));
      return claim;
    },
    async addPod(name, { node, claims = [], volumes = [] }) {
      const spec = {
        containers: [{ name: "c", image: "i" }],
        terminationGracePeriodSeconds: 0,
        ...(node && { nodeName: node }),
        volumes: [...claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })), ...volumes],
      };
      return seen(Pod, await admin.create(Pod, { metadata: inDefault(name), spec }));
    },
    async bindPod(name, node) {
      const binding = { apiVersion: "v1", kind: "Binding", metadata: { name }, target: { kind: "Node", name: node } };
      await admin.raw("POST", `/api/v1/namespaces/default/pods/${name}/binding`, binding);
      await seen(Pod, await admin.get(Pod, inDefault(name)));
    },
    async endPod(name, phase) {
      await seen(Pod, await admin.patch(Pod, inDefault(name), mergePatch({ status: { phase } }), { subresource: "status" }));
    },
    async removePod(name) {
      await admin.delete(Pod, inDefault(name), { gracePeriodSeconds: 0 });
      // One that is created later arrives after the deletion.
      await world.addPod(`after-${name}`, {});
    },
    async addNode(name, status = "True", sinceMs = clock.now()) {
      await seen(Node, await admin.create(Node, { metadata: { name }, status: { conditions: conditions(status, sinceMs) } }));
    },
    setReady: (name, status, sinceMs = clock.now()) => patchStatus(name, { conditions: conditions(status, sinceMs) }),
    terminate: (node) => patchStatus(node, { phase: "Terminated" }),
    removeNode: (name) => admin.delete(Node, { name }),
    untilWaiting: (node, times = 1) =>
      base.untilTrue(() => {
        const lines = log.lines.filter(({ message, fields }) => message.startsWith("Node is down") && fields.node === node);
        return lines.length >= times;
      }),
    async witness() {
      const name = `witness-${witnesses++}`;
      await world.addNode(name);
      await world.addClaim({ name });
      await world.addPod(name, { node: name, claims: [name] });
      await world.removeNode(name);
      await base.untilEvent(name, "NodeFailed");
    },
  };
  if (!stopped && flags?.enableNodeWatcher !== false) await began();
  return world;
}

function conditions(status: ReadyStatus, sinceMs: number) {
  const other = { type: "DiskPressure", status: "False", lastTransitionTime: metav1Time(0) };
  const ready = { type: "Ready", status, lastTransitionTime: metav1Time(sinceMs) };
  return status === "none" ? [other] : [other, ready];
}

/** What claims are told, so often. */
export const text = {
  failed: (claim: string, node: string, pods: readonly string[], times = 1) =>
    `Warning NodeFailed x${times}: Pods: [ ${pods.join(" ")} ] consuming PVC: ${claim} in namespace: default are now on a failed node: ${node}`,
  recovered: (node: string) => `Warning NodeRecovered x1: Node: ${node} recovered`,
};
