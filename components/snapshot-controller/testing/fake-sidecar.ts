import {
  type Client,
  groupSnapshotAnnotation,
  groupSnapshotFinalizer,
  type KubeObject,
  mergePatch,
  type Resource,
  snapshotAnnotation,
  snapshotFinalizer,
  type V1VolumeGroupSnapshotContent,
  type V1VolumeSnapshotContent,
  VolumeGroupSnapshotContent,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";

/** What csi-snapshotter and a driver do with group snapshots, for tests of the controller alone. */
export interface FakeSidecar extends AsyncDisposable {
  /** The handles of the groups that exist in the storage system. */
  readonly groups: Set<string>;
  /** What it was not asked for, and should not be: handles of members that it would have had to delete one by one. */
  readonly deletedSnapshots: string[];
  /** Whether it takes groups that are asked for. */
  takes: boolean;
  /** Whether what it takes is ready at once. */
  isReady: boolean;
}

export const creationTime = "2026-01-02T03:04:05Z";
/** More than a number holds exactly. */
export const creationNanoseconds = 1_767_323_045_123_456_789n;

export function startFakeSidecar(admin: Client): FakeSidecar {
  let isRunning = true;
  const sidecar = { groups: new Set<string>(), deletedSnapshots: [] as string[], takes: true, isReady: true };
  const work = async () => {
    while (isRunning) {
      for (const content of (await admin.list(VolumeGroupSnapshotContent)).items) await syncGroup(admin, content, sidecar);
      for (const content of (await admin.list(VolumeSnapshotContent)).items) await syncMember(admin, content, sidecar);
      await Bun.sleep(5);
    }
  };
  const ended = work();
  return Object.assign(sidecar, {
    async [Symbol.asyncDispose]() {
      isRunning = false;
      await ended;
    },
  });
}

type Storage = Omit<FakeSidecar, typeof Symbol.asyncDispose>;

async function syncGroup(admin: Client, content: V1VolumeGroupSnapshotContent, storage: Storage): Promise<void> {
  const { metadata, spec, status } = content;
  const handle = spec?.source?.groupSnapshotHandles?.volumeGroupSnapshotHandle ?? `group-${metadata?.name}`;
  if (metadata?.deletionTimestamp) {
    if (metadata.annotations?.[groupSnapshotAnnotation.beingDeleted] === undefined) return;
    if (spec?.deletionPolicy === "Delete" && status?.volumeGroupSnapshotHandle) storage.groups.delete(handle);
    return removeFinalizer(admin, VolumeGroupSnapshotContent, content, groupSnapshotFinalizer.content);
  }
  if (!spec?.volumeGroupSnapshotRef?.uid || (status?.volumeGroupSnapshotHandle && status.readyToUse === storage.isReady)) return;
  const isStopped = metadata?.annotations?.[groupSnapshotAnnotation.beingDeleted] !== undefined && !status;
  if (!storage.takes || isStopped) return;
  storage.groups.add(handle);
  const volumeSnapshotInfoList = spec.source?.volumeHandles?.map((volumeHandle) => ({
    ...{ volumeHandle, snapshotHandle: `snapshot-of-${volumeHandle}`, creationTime: creationNanoseconds },
    ...{ readyToUse: storage.isReady, restoreSize: 1024 },
  }));
  const taken = {
    volumeGroupSnapshotHandle: handle,
    creationTime,
    readyToUse: storage.isReady,
    ...(volumeSnapshotInfoList && { volumeSnapshotInfoList }),
  };
  const { name = "" } = metadata ?? {};
  await admin.patch(VolumeGroupSnapshotContent, { name }, mergePatch({ status: taken }), { subresource: "status" }).catch(() => undefined);
}

async function syncMember(admin: Client, content: V1VolumeSnapshotContent, storage: Storage): Promise<void> {
  const { metadata, spec, status } = content;
  if (!metadata?.deletionTimestamp || metadata.annotations?.[snapshotAnnotation.beingDeleted] === undefined) return;
  const { snapshotHandle, volumeGroupSnapshotHandle } = status ?? {};
  if (spec?.deletionPolicy === "Delete" && snapshotHandle && !volumeGroupSnapshotHandle) storage.deletedSnapshots.push(snapshotHandle);
  await removeFinalizer(admin, VolumeSnapshotContent, content, snapshotFinalizer.content);
}

async function removeFinalizer<T extends KubeObject>(
  admin: Client,
  resource: Resource<T>,
  { metadata }: T,
  finalizer: string,
): Promise<void> {
  const finalizers = metadata?.finalizers?.filter((each) => each !== finalizer) ?? [];
  if (finalizers.length === (metadata?.finalizers ?? []).length) return;
  const patch = mergePatch({ metadata: { finalizers, resourceVersion: metadata?.resourceVersion } });
  await admin.patch(resource, { name: metadata?.name ?? "" }, patch).catch(() => undefined);
}
