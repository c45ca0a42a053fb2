import { FakeClock } from "@csi-sidecars/base/testing";
import type { PolicyRule } from "@csi-sidecars/host";
import {
  Event,
  type KubeObject,
  mergePatch,
  metav1Time,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type Resource,
  type V1PersistentVolume,
  type V1Pod,
} from "@csi-sidecars/kube";
import { type ComponentWorld, presets, startComponentWorld, type TestedComponent } from "@csi-sidecars/testcluster";
import { healthMonitor } from "../../component.ts";
import type { HealthMonitorComponentContext } from "../../flags.ts";
import { SeenVersions } from "./seen-versions.ts";

export const driverName = "csi.example.com";
export const limitMs = 300_000;

type PodVolume = NonNullable<NonNullable<V1Pod["spec"]>["volumes"]>[number];

/** A pod with claims, on a node unless that is empty. */
interface PodParts {
  readonly node?: string;
  readonly claims?: readonly string[];
  /** Beside those of the claims. */
  readonly volumes?: readonly PodVolume[];
}

/**
 * The health monitor with an API server, all over real sockets. Its clock stands still until the test advances it. What the test writes
 * is in the component's caches when the call returns.
 */
export interface NodeWorld extends Omit<ComponentWorld, "add">, TestedComponent {
  readonly clock: FakeClock;
  /** Creates a claim in the namespace `default` and the volume that is bound to it; returns the claim's uid. */
  addClaim(name: string, volume?: Partial<NonNullable<V1PersistentVolume["spec"]>>, options?: ClaimOptions): Promise<string>;
  addPod(name: string, parts: PodParts): Promise<V1Pod>;
  /** Assigns a pod to a node, as the scheduler does. */
  bindPod(name: string, node: string): Promise<void>;
  endPod(name: string, phase: "Succeeded" | "Failed"): Promise<void>;
  removePod(name: string): Promise<void>;
  /** Creates a node; ready unless told otherwise, in the way that the node controller tells. */
  addNode(name: string, status?: ReadyStatus, sinceMs?: number): Promise<void>;
  /** Says how a node is, and since when. */
  setReady(name: string, status: ReadyStatus, sinceMs?: number): Promise<void>;
  setPhase(name: string, phase: string): Promise<void>;
  removeNode(name: string): Promise<void>;
  /** Waits until the component has seen, for the n-th time, that the node is down and that it has to wait. */
  untilWaiting(node: string, times?: number): Promise<void>;
  /** `count` and message of the events about a claim, in the order of their reasons. */
  told(claim: string): Promise<string[]>;
  /** Waits until something is told of another claim on another node, after all that was due before. */
  witness(): Promise<void>;
}

interface ClaimOptions {
  readonly phase?: string;
  /** The uid of the pod that owns the claim. */
  readonly owner?: string;
  /** Instead of the claim's. */
  readonly uid?: string;
}

export type ReadyStatus = "True" | "False" | "Unknown" | "none";

interface WorldOptions {
  readonly flags?: Partial<HealthMonitorComponentContext["flags"]>;
  readonly stopped?: boolean;
  /** What the component's user may do; the shipped role unless told. */
  readonly role?: readonly PolicyRule[];
}

const inDefault = (name: string) => ({ namespace: "default", name });

export async function startNodeWorld({ flags, role, stopped = false }: WorldOptions = {}): Promise<NodeWorld> {
  await using opened = new AsyncDisposableStack();
  const clock = new FakeClock(Math.floor(Date.now() / 1_000) * 1_000);
  const capabilities = { ...presets.minimal, controller: ["CREATE_DELETE_VOLUME", "LIST_VOLUMES", "VOLUME_CONDITION"] } as const;
  const base = opened.use(await startComponentWorld({ driver: { name: driverName, capabilities } }));
  const { admin } = base;
  const caches = new SeenVersions();
  let isRunning = !stopped;
  /** What the test has written is in the component's cache too. */
  const seen = async <T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> => {
    if (isRunning) await caches.reached(resource, object);
    return object;
  };
  const tested = await base.add(healthMonitor, {
    ...{ clock, stopped },
    ...(role && { role }),
    wrapClient: (client, { name }) => (name === "informers" ? caches.client(client) : client),
    flags: { kubeApiQps: -1, kubeApiBurst: 0, enableNodeWatcher: true, nodeNotReadyDuration: limitMs, ...flags },
  });
  let witnesses = 0;
  let runs = stopped ? 0 : 1;
  const watching = (times: number) =>
    base.untilTrue(() => tested.log.lines.filter(({ message }) => message === "Watching nodes").length >= times);
  if (!stopped && flags?.enableNodeWatcher !== false) await watching(runs);

  const patchStatus = async (name: string, status: object) => {
    await seen(Node, await admin.patch(Node, { name }, mergePatch({ status }), { subresource: "status" }));
  };
  const world: NodeWorld = {
    ...base,
    ...tested,
    get dead() {
      return tested.dead;
    },
    clock,
    async run() {
      await tested.run();
      await watching(++runs);
      isRunning = true;
    },
    async kill() {
      isRunning = false;
      await tested.kill();
    },
    async addClaim(name, volume = {}, { phase = "Bound", owner, uid } = {}) {
      const owners = owner ? [{ apiVersion: "v1", kind: "Pod", name: "owner", uid: owner, controller: true }] : undefined;
      const claim = await seen(
        PersistentVolumeClaim,
        await admin.create(PersistentVolumeClaim, {
          metadata: { ...inDefault(name), ...(owners && { ownerReferences: owners }) },
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: "1Gi" } },
            volumeName: `pv-${name}`,
            storageClassName: "",
          },
        }),
      );
      const created = claim.metadata?.uid ?? "";
      await admin.create(PersistentVolume, {
        metadata: { name: `pv-${name}` },
        spec: {
          accessModes: ["ReadWriteOnce"],
          capacity: { storage: "1Gi" },
          persistentVolumeReclaimPolicy: "Retain",
          claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...inDefault(name), uid: uid ?? created },
          csi: { driver: driverName, volumeHandle: `handle-${name}` },
          ...volume,
        },
      });
      const status = mergePatch({ status: { phase } });
      await seen(PersistentVolume, await admin.patch(PersistentVolume, { name: `pv-${name}` }, status, { subresource: "status" }));
      return created;
    },
    addPod: async (name, { node, claims = [], volumes = [] }) => {
      const spec = {
        containers: [{ name: "c", image: "i" }],
        terminationGracePeriodSeconds: 0,
        ...(node && { nodeName: node }),
        volumes: [...claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })), ...volumes],
      };
      return seen(Pod, await admin.create(Pod, { metadata: inDefault(name), spec }));
    },
    async bindPod(name, node) {
      await admin.raw("POST", `/api/v1/namespaces/default/pods/${name}/binding`, {
        ...{ apiVersion: "v1", kind: "Binding", metadata: { name }, target: { kind: "Node", name: node } },
      });
      await seen(Pod, await admin.get(Pod, inDefault(name)));
    },
    async endPod(name, phase) {
      await seen(Pod, await admin.patch(Pod, inDefault(name), mergePatch({ status: { phase } }), { subresource: "status" }));
    },
    async removePod(name) {
      await admin.delete(Pod, inDefault(name), { gracePeriodSeconds: 0 });
      // A later one arrives after the deletion.
      await world.addPod(`after-${name}`, {});
    },
    async addNode(name, status = "True", sinceMs) {
      await admin.create(Node, { metadata: { name } });
      await world.setReady(name, status, sinceMs);
    },
    async setReady(name, status, sinceMs = clock.now()) {
      const other = { type: "DiskPressure", status: "False", lastTransitionTime: metav1Time(0) };
      const ready = { type: "Ready", status, lastTransitionTime: metav1Time(sinceMs) };
      await patchStatus(name, { conditions: status === "none" ? [other] : [other, ready] });
    },
    async setPhase(name, phase) {
      await patchStatus(name, { phase });
    },
    removeNode: (name) => admin.delete(Node, { name }),
    untilWaiting: (node, times = 1) =>
      base.untilTrue(() => {
        const lines = tested.log.lines.filter(({ message, fields }) => message.startsWith("Node is down") && fields.node === node);
        return lines.length >= times;
      }),
    async told(claim) {
      const { items } = await admin.list(Event, { namespace: "default" });
      return items
        .filter(({ involvedObject: { name } }) => name === claim)
        .map(({ count, type, reason, message }) => `${count}x ${type} ${reason}: ${message}`)
        .sort();
    },
    async witness() {
      const name = `witness-${witnesses++}`;
      await world.addNode(name);
      await world.addClaim(name);
      await world.addPod(name, { node: name, claims: [name] });
      await world.removeNode(name);
      await base.untilEvent(name, "NodeFailed");
    },
    [Symbol.asyncDispose]: () => disposing.disposeAsync(),
  };
  const disposing = opened.move();
  return world;
}

/** What claims are told. */
export const text = {
  failed: (claim: string, node: string, ...pods: string[]) =>
    `Warning NodeFailed: Pods: [ ${pods.join(" ")} ] consuming PVC: ${claim} in namespace: default are now on a failed node: ${node}`,
  recovered: (node: string) => `Warning NodeRecovered: Node: ${node} recovered`,
};
