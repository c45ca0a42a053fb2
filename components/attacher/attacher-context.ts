import type { Clock, Logger } from "@csi-sidecars/base";
import type { AssumeCache } from "@csi-sidecars/controller";
import type { DriverClient } from "@csi-sidecars/csi";
import type { Client, StoreReader } from "@csi-sidecars/kube";
import type { Abandoned } from "./abandoned.ts";
import type { Activity } from "./activity.ts";
import type { Attachment, NodeDrivers, Volume } from "./fields.ts";
import type { Lanes } from "./lanes.ts";
import type { AttachmentWorld, DriverFacts } from "./plan-attach.ts";
import { volumeNameOf } from "./volume-source.ts";

/** Limit of one attempt to read or write an object: the driver's slowness leaves it untouched. */
export const apiTimeoutMs = 30_000;

/** What the parts of the component share. */
export interface AttacherContext {
  readonly driver: DriverFacts;
  readonly controller: DriverClient["controller"];
  /** `--timeout` */
  readonly timeoutMs: number;
  /** Whether attach errors carry the driver's gRPC code. */
  readonly errorCodes: boolean;
  readonly kube: Client;
  readonly attachments: AssumeCache<Attachment>;
  readonly volumes: AssumeCache<Volume>;
  /** The attachments that name a volume. */
  readonly attachmentsOf: (volume: string) => readonly Attachment[];
  readonly nodes: Pick<StoreReader<NodeDrivers>, "get">;
  readonly lanes: Lanes;
  readonly activity: Activity;
  readonly memory: AttachmentMemory;
  readonly clock: Clock;
  readonly log: Logger;
}

/** All that is kept about attachments beside the caches; a restart may lose it. */
export interface AttachmentMemory {
  /** Attachments that the driver lists otherwise than they say, by name, until a call for them succeeds. */
  readonly forced: Set<string>;
  /** Uids, by name, of attachments that are detached and let go of, but whose status does not say so yet. */
  readonly unpublished: Map<string, string>;
  /** Attachments that are gone while their volumes may be attached, by name, until they are not. */
  readonly abandoned: Map<string, Abandoned>;
}

/** Reconciles one attachment in its lane. `enterVolume` answers whether it may call the driver about the volume now. */
export type AttachmentReconcile = (name: string, enterVolume: (volumeId: string) => boolean, signal: AbortSignal) => Promise<void>;

/** What is known now; `undefined` when the attachment is gone. */
export function worldOf(c: AttacherContext, name: string): AttachmentWorld | undefined {
  const attachment = c.attachments.get(name);
  return attachment && worldOfAttachment(c, attachment);
}

/** What is known now around an attachment. */
export function worldOfAttachment(c: Pick<AttacherContext, "volumes" | "nodes">, attachment: Attachment): AttachmentWorld {
  return { attachment, volume: c.volumes.get(volumeNameOf(attachment) ?? ""), node: c.nodes.get(attachment.spec.nodeName) };
}

/** Whether the attachment's state asks for a call, as far as can be told cheaply: most attachments are attached and rest. */
export function needsWork(
  { metadata, spec, status }: Attachment,
  driver: DriverFacts,
  memory: Pick<AttachmentMemory, "forced" | "unpublished">,
): boolean {
  if (spec.attacher !== driver.name) return false;
  if (memory.forced.has(metadata.name)) return true;
  if (!metadata.deletionTimestamp) return !status?.attached;
  return (metadata.finalizers?.includes(driver.finalizer) ?? false) || memory.unpublished.get(metadata.name) === metadata.uid;
}
