import {
  Event,
  keyOf,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type V1Event,
  type V1PersistentVolume,
  type V1VolumeAttachment,
  VolumeAttachment,
  VolumeGroupSnapshot,
  VolumeSnapshot,
} from "@csi-sidecars/kube";
import { activeFaults } from "../faults/faults.ts";
import type { Playground } from "../playground.ts";
import { requestRate } from "../processes/metrics.ts";
import { attributesOf, growthOf } from "./claim-progress.ts";
import { podRow } from "./pod-rows.ts";
import { created, groupSnapshotRow, snapshotRow } from "./snapshot-rows.ts";
import type { EventRow, PlaygroundStatus, ProcessState } from "./status.ts";
import { volumeConditions } from "./volume-conditions.ts";

/** Reads the cluster, the driver and the sidecar. The function keeps what it needs to compute rates. */
export function statusReader(playground: Playground): (now: number) => Promise<PlaygroundStatus> {
  const rate = requestRate();
  return (now) => readStatus(playground, now, rate);
}

async function readStatus(playground: Playground, now: number, rate: ReturnType<typeof requestRate>): Promise<PlaygroundStatus> {
  const { admin, cluster, sidecar, snapshotController, driver, nodes, nodeService, faults } = playground;
  const [claims, volumes, attachments, pods, snapshots, groups, events, health, metrics, wrong] = await Promise.all([
    admin.list(PersistentVolumeClaim),
    admin.list(PersistentVolume),
    admin.list(VolumeAttachment),
    admin.list(Pod),
    snapshotController ? admin.list(VolumeSnapshot) : { items: [] },
    snapshotController ? admin.list(VolumeGroupSnapshot) : { items: [] },
    admin.list(Event),
    driver.health(),
    sidecar.metrics(),
    activeFaults(faults),
  ]);
  const problem = cluster.problem();
  const abnormal = volumeConditions(events.items, metrics?.abnormalClaims);
  const claimRows = claims.items.map((claim) => ({
    name: keyOf(claim),
    phase: claim.metadata?.deletionTimestamp ? "Terminating" : (claim.status?.phase ?? "Pending"),
    volume: claim.spec?.volumeName ?? "",
    size: text(claim.status?.capacity?.storage ?? claim.spec?.resources?.requests?.storage),
    growth: growthOf(claim),
    attributes: attributesOf(claim),
    since: created(claim),
  }));
  const attachmentRows = attachments.items.map((attachment) => ({
    name: attachment.metadata?.name ?? "",
    phase: attachmentPhase(attachment),
    volume: attachment.spec.source.persistentVolumeName ?? "",
    node: attachment.spec.nodeName,
    zone: nodes.find(({ name }) => name === attachment.spec.nodeName)?.zone ?? "",
    since: created(attachment),
  }));
  const around = { claims: claimRows, attachments: attachmentRows, attaches: driver.info.attaches, ...nodeService };
  return {
    at: now,
    faults: wrong.map(({ name, effect, key }) => `${name}: ${effect} (${key} ends it)`),
    claims: claimRows,
    volumes: volumes.items.map((volume) => ({
      name: volume.metadata?.name ?? "",
      phase: volume.metadata?.deletionTimestamp ? "Terminating" : (volume.status?.phase ?? "Pending"),
      claim: volume.spec?.claimRef ? `${volume.spec.claimRef.namespace}/${volume.spec.claimRef.name}` : "",
      size: text(volume.spec?.capacity?.storage),
      topology: topologyOf(volume),
      abnormal: abnormal(volume.spec?.claimRef),
      since: created(volume),
    })),
    attachments: attachmentRows,
    pods: pods.items.map((pod) => podRow(pod, around)),
    snapshots: snapshots.items.map(snapshotRow),
    groupSnapshots: groups.items.map((group) => groupSnapshotRow(group, snapshots.items)),
    events: events.items.map(eventRow).sort((a, b) => a.at - b.at),
    sidecar: {
      ...processOf(sidecar),
      memory: metrics?.memory,
      requestsPerSecond: rate(now, metrics?.requests),
    },
    ...(snapshotController && { snapshotController: processOf(snapshotController) }),
    driver: { name: driver.info.name, ...(driver.hostpath && { process: processOf(driver.hostpath) }), ...health },
    ...(problem && { problem }),
  };
}

const processOf = ({ process: { pid, restarts } }: { readonly process: ProcessState }) => ({ pid, restarts });

const text = (quantity: string | number | undefined) => String(quantity ?? "");

function attachmentPhase({ metadata, status }: V1VolumeAttachment): string {
  if (metadata?.deletionTimestamp) return status?.detachError ? "DetachError" : "Detaching";
  if (status?.attached) return "Attached";
  return status?.attachError ? "AttachError" : "Attaching";
}

function eventRow(event: V1Event): EventRow {
  const { metadata, involvedObject, type, reason = "", message = "", lastTimestamp, eventTime, series } = event;
  const count = event.count ?? series?.count ?? 1;
  return {
    key: `${metadata?.uid} ${count}`,
    at: Date.parse(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? "") || created(event),
    warning: type === "Warning",
    reason,
    about: `${involvedObject.kind}/${involvedObject.name}`,
    message,
    count,
  };
}

/** The topology of a volume: the values of its node affinity; empty where it has none. */
export function topologyOf({ spec }: V1PersistentVolume): string {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const places = terms.map(({ matchExpressions = [] }) => matchExpressions.flatMap(({ values = [] }) => values).join("/"));
  return places.join(", ");
}
