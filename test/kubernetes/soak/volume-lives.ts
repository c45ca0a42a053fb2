import {
  type Client,
  ignoreNotFound,
  isAlreadyExists,
  isNotFound,
  type KubeObject,
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type Resource,
  VolumeSnapshot,
} from "@csi-sidecars/kube";
import { insist } from "../../chaos/insist.ts";
import { type BusyboxImage, soakNamespace as namespace, type PodTask, podFor } from "./pods.ts";
import { until } from "./until.ts";
import { WrongData } from "./wrong-data.ts";

export interface SoakCluster {
  readonly client: Client;
  readonly image: BusyboxImage;
  /** Of the class of volumes, and of that of snapshots. */
  readonly className: string;
  readonly random: () => number;
}

/** What happens to a volume between its creation and its end. */
const turns = { restore, clone, expand, reattach };
export type Turn = keyof typeof turns;
const turnNames = Object.keys(turns) as Turn[];

/**
 * The life of a volume: it is created, written to and, by chance, restored from a snapshot, cloned, expanded while in use, or attached again.
 * In the end everything is deleted. Throws if a step does not end in its time, or if a volume does not hold what was written.
 */
export async function liveOnce(cluster: SoakCluster, name: string): Promise<Turn> {
  const turn = turnNames[Math.floor(cluster.random() * turnNames.length)] ?? "reattach";
  await createClaim(cluster, name, {});
  await runPod(cluster, `${name}-writer`, name, { write: name });
  await turns[turn](cluster, name);
  await deleteClaim(cluster, name);
  return turn;
}

async function restore(cluster: SoakCluster, name: string): Promise<void> {
  const snapshot = {
    metadata: { namespace, name },
    spec: { volumeSnapshotClassName: cluster.className, source: { persistentVolumeClaimName: name } },
  };
  await create(cluster, VolumeSnapshot, snapshot);
  await until(
    `snapshot ${name} to be ready`,
    async () => (await cluster.client.get(VolumeSnapshot, { namespace, name })).status?.readyToUse,
  );
  await withCopy(cluster, name, { dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name } });
  await remove(cluster, VolumeSnapshot, name);
}

async function clone(cluster: SoakCluster, name: string): Promise<void> {
  await withCopy(cluster, name, { dataSource: { kind: "PersistentVolumeClaim", name } });
}

async function withCopy(cluster: SoakCluster, name: string, source: object): Promise<void> {
  const copy = `${name}-copy`;
  await createClaim(cluster, copy, source);
  await runPod(cluster, `${copy}-reader`, copy, { read: name });
  await deleteClaim(cluster, copy);
}

async function expand(cluster: SoakCluster, name: string): Promise<void> {
  const holder = `${name}-holder`;
  await startPod(cluster, holder, name, { hold: name });
  await until(`pod ${holder} to run`, async () => (await phaseOf(cluster, holder)) === "Running");
  const larger = mergePatch({ spec: { resources: { requests: { storage: "2Mi" } } } });
  await insist(() => cluster.client.patch(PersistentVolumeClaim, { namespace, name }, larger));
  await until(`claim ${name} to have 2Mi`, async () => {
    const { status } = await cluster.client.get(PersistentVolumeClaim, { namespace, name });
    return status?.capacity?.storage === "2Mi";
  });
  await remove(cluster, Pod, holder);
}

async function reattach(cluster: SoakCluster, name: string): Promise<void> {
  await runPod(cluster, `${name}-reader`, name, { read: name });
}

async function createClaim(cluster: SoakCluster, name: string, source: object): Promise<void> {
  await create(cluster, PersistentVolumeClaim, {
    metadata: { namespace, name },
    spec: {
      storageClassName: cluster.className,
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Mi" } },
      ...source,
    },
  });
}

/** Deletes a claim and waits until its volume is gone too. */
async function deleteClaim(cluster: SoakCluster, name: string): Promise<void> {
  const claim = await insist(() => cluster.client.get(PersistentVolumeClaim, { namespace, name }));
  await remove(cluster, PersistentVolumeClaim, name);
  const volume = claim.spec?.volumeName;
  if (volume) await untilGone(cluster, PersistentVolume, { name: volume });
}

async function startPod(cluster: SoakCluster, name: string, claim: string, task: PodTask): Promise<void> {
  await create(cluster, Pod, podFor(name, claim, task, cluster.image));
}

async function runPod(cluster: SoakCluster, name: string, claim: string, task: PodTask): Promise<void> {
  await startPod(cluster, name, claim, task);
  await until(`pod ${name} to succeed`, async () => {
    const phase = await phaseOf(cluster, name);
    if (phase === "Failed") throw new WrongData(`pod ${name} did not find in its volume what was written`);
    return phase === "Succeeded";
  });
  await remove(cluster, Pod, name);
}

async function phaseOf(cluster: SoakCluster, name: string): Promise<string | undefined> {
  return (await cluster.client.get(Pod, { namespace, name })).status?.phase;
}

async function create<T extends KubeObject>(cluster: SoakCluster, resource: Resource<T>, object: T): Promise<void> {
  await insist(() => cluster.client.create(resource, object), isAlreadyExists);
}

async function remove<T extends KubeObject>(cluster: SoakCluster, resource: Resource<T>, name: string): Promise<void> {
  await insist(() => cluster.client.delete(resource, { namespace, name }), isNotFound);
  await untilGone(cluster, resource, { namespace, name });
}

async function untilGone<T extends KubeObject>(
  cluster: SoakCluster,
  resource: Resource<T>,
  ref: { readonly namespace?: string; readonly name: string },
): Promise<void> {
  const gone = async () => (await ignoreNotFound(cluster.client.get(resource, ref))) === undefined;
  await until(`${resource.kind} ${ref.name} to be gone`, gone);
}
