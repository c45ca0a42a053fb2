import { readFile } from "node:fs/promises";
import {
  Event,
  keyOf,
  PersistentVolume,
  PersistentVolumeClaim,
  type V1Event,
  type V1VolumeAttachment,
  VolumeAttachment,
} from "@csi-sidecars/kube";
import type { EventRow, Picture } from "./picture.ts";
import type { Parts } from "./start-parts.ts";

/** The request rate is that of so many last milliseconds. */
const rateWindowMs = 5_000;

/** Asks all parts how they are. */
export async function takePicture({ admin, server, sidecar, driver }: Parts, now: number): Promise<Picture> {
  const [claims, volumes, attachments, events, inDriver, memory] = await Promise.all([
    admin.list(PersistentVolumeClaim),
    admin.list(PersistentVolume),
    admin.list(VolumeAttachment),
    admin.list(Event),
    driver.control.volumes().catch(() => undefined),
    residentMemory(sidecar.process.pid),
  ]);
  const recent = server.requests.find({ user: sidecar.user }).filter(({ at }) => at > now - rateWindowMs).length;
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
      since: created(volume),
    })),
    attachments: attachments.items.map((attachment) => ({
      name: attachment.metadata?.name ?? "",
      phase: attachmentPhase(attachment),
      volume: attachment.spec.source.persistentVolumeName ?? "",
      node: attachment.spec.nodeName,
      since: created(attachment),
    })),
    events: events.items.map(eventRow).sort((a, b) => a.at - b.at),
    sidecar: {
      pid: sidecar.process.pid,
      restarts: sidecar.process.restarts,
      memory,
      requestsPerSecond: recent / (rateWindowMs / 1000),
    },
    driver: { pid: driver.process.pid, restarts: driver.process.restarts, volumes: inDriver?.length },
  };
}

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

async function residentMemory(pid: number | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(status) ?? [];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
