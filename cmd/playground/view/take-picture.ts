import {
  Event,
  keyOf,
  PersistentVolume,
  PersistentVolumeClaim,
  type V1Event,
  type V1VolumeAttachment,
  VolumeAttachment,
} from "@csi-sidecars/kube";
import { requestRate } from "../sidecar/request-rate.ts";
import type { Parts } from "../start-parts.ts";
import type { EventRow, Picture } from "./picture.ts";
import { topologyOf } from "./topology-of.ts";

/** Asks all parts how they are, again and again. */
export function camera(parts: Parts): (now: number) => Promise<Picture> {
  const rate = requestRate();
  return (now) => takePicture(parts, now, rate);
}

async function takePicture(parts: Parts, now: number, rate: ReturnType<typeof requestRate>): Promise<Picture> {
  const { admin, cluster, sidecar, driver, nodes } = parts;
  const [claims, volumes, attachments, events, look, metrics] = await Promise.all([
    admin.list(PersistentVolumeClaim),
    admin.list(PersistentVolume),
    admin.list(VolumeAttachment),
    admin.list(Event),
    driver.look(),
    sidecar.metrics(),
  ]);
  const problem = cluster.problem();
  return {
    at: now,
    claims: claims.items.map((claim) => ({
      name: keyOf(claim),
      phase: claim.metadata?.deletionTimestamp ? "Terminating" : (claim.status?.phase ?? "Pending"),
      volume: claim.spec?.volumeName ?? "",
      size: text(claim.status?.capacity?.storage ?? claim.spec?.resources?.requests?.storage),
      since: created(claim),
    })),
    volumes: volumes.items.map((volume) => ({
      name: volume.metadata?.name ?? "",
      phase: volume.metadata?.deletionTimestamp ? "Terminating" : (volume.status?.phase ?? "Pending"),
      claim: volume.spec?.claimRef ? `${volume.spec.claimRef.namespace}/${volume.spec.claimRef.name}` : "",
      size: text(volume.spec?.capacity?.storage),
      topology: topologyOf(volume),
      since: created(volume),
    })),
    attachments: attachments.items.map((attachment) => ({
      name: attachment.metadata?.name ?? "",
      phase: attachmentPhase(attachment),
      volume: attachment.spec.source.persistentVolumeName ?? "",
      node: attachment.spec.nodeName,
      zone: nodes.find(({ name }) => name === attachment.spec.nodeName)?.zone ?? "",
      since: created(attachment),
    })),
    events: events.items.map(eventRow).sort((a, b) => a.at - b.at),
    sidecar: {
      pid: sidecar.process.pid,
      restarts: sidecar.process.restarts,
      memory: metrics?.memory,
      requestsPerSecond: rate(now, metrics?.requests),
    },
    driver: { name: driver.facts.name, ...(driver.hostpath && { process: processOf(driver.hostpath) }), ...look },
    ...(problem && { problem }),
  };
}

const processOf = ({ process: { pid, restarts } }: NonNullable<Parts["driver"]["hostpath"]>) => ({ pid, restarts });

const text = (quantity: string | number | undefined) => String(quantity ?? "");

const created = ({ metadata }: { metadata?: { creationTimestamp?: string } }) => Date.parse(metadata?.creationTimestamp ?? "") || 0;

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
