import { type Key, metav1Time } from "@csi-sidecars/kube";
import { attachmentName, uniqueVolumeName } from "../attach-detach/plan-attachments.ts";
import { claimsOfPod, isTerminated } from "../claims.ts";
import type { Attachment, Claim, ClusterPod, Driver, Volume } from "../fields.ts";

/** What a kubelet reads before it starts a pod. */
export interface MountListers {
  claimNamed(key: Key): Claim | undefined;
  volumeNamed(name: string): Volume | undefined;
  driverNamed(name: string): Driver | undefined;
  attachmentNamed(name: string): Attachment | undefined;
}

export type PodRunPlan =
  | { readonly step: "none" }
  | { readonly step: "wait"; readonly because: string }
  | { readonly step: "run" }
  /** The pod is being deleted: terminate it, then delete the object. */
  | { readonly step: "finish" };

export function planPodRun(pod: ClusterPod, listers: MountListers): PodRunPlan {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp !== undefined) return deletionGracePeriodSeconds === 0 ? { step: "none" } : { step: "finish" };
  if (!pod.spec?.nodeName || (pod.status?.phase ?? "Pending") !== "Pending") return { step: "none" };
  for (const key of claimsOfPod(pod)) {
    const because = whyNotReady(key, pod.spec.nodeName, listers);
    if (because) return { step: "wait", because };
  }
  return { step: "run" };
}

function whyNotReady(key: Key, nodeName: string, listers: MountListers): string | undefined {
  const claim = listers.claimNamed(key);
  if (!claim) return `claim ${key} not found`;
  if (claim.metadata.deletionTimestamp !== undefined) return `claim ${key} is being deleted`;
  if (claim.status?.phase !== "Bound") return `claim ${key} is not bound`;
  const volume = listers.volumeNamed(claim.spec?.volumeName ?? "");
  if (!volume) return `volume ${claim.spec?.volumeName} not found`;
  const csi = attachable(volume, listers);
  if (!csi) return undefined;
  const attachment = listers.attachmentNamed(attachmentName(csi.volumeHandle, csi.driver, nodeName));
  return attachment?.status?.attached && attachment.metadata.deletionTimestamp === undefined
    ? undefined
    : `volume ${volume.metadata.name} is not attached`;
}

function attachable(volume: Volume, listers: MountListers) {
  const csi = volume.spec?.csi;
  return csi && listers.driverNamed(csi.driver)?.spec.attachRequired !== false ? csi : undefined;
}

/** `volumesInUse` of a node: the attachable volumes of its pods, which must not be detached. */
export function volumesInUse(pods: readonly ClusterPod[], listers: MountListers): readonly string[] {
  const names = pods
    .filter((pod) => !isTerminated(pod) || pod.metadata.deletionTimestamp !== undefined)
    .flatMap(claimsOfPod)
    .flatMap((key) => {
      const volume = listers.volumeNamed(listers.claimNamed(key)?.spec?.volumeName ?? "");
      const csi = volume && attachable(volume, listers);
      return csi ? [uniqueVolumeName(csi)] : [];
    });
  return [...new Set(names)].sort();
}

/** The status of a pod whose containers have all started. */
export function runningStatus({ spec }: ClusterPod, now: number): object {
  const time = metav1Time(now);
  const conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
    type,
    status: "True",
    lastTransitionTime: time,
  }));
  const containerStatuses = (spec?.containers ?? []).map(({ name, image = "" }) => ({
    ...{ name, image, imageID: "", ready: true, started: true, restartCount: 0 },
    state: { running: { startedAt: time } },
  }));
  return { status: { phase: "Running", startTime: time, conditions, containerStatuses } };
}
