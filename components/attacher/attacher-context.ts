import type { Clock, Logger } from "@csi-sidecars/base";
import { AssumeCache, Controller, retryRateLimiter } from "@csi-sidecars/controller";
import type { DriverClient, VolumeLists } from "@csi-sidecars/csi";
import { type Client, type Informers, projectorFor, type View } from "@csi-sidecars/kube";
import { AttachDetachQueues } from "./attach-detach-queues.ts";
import { AttachmentState } from "./attachment-state.ts";
import { type DriverInfo, finalizerName, type PublishCapabilities } from "./driver-capabilities.ts";
import { type Attachment, attachmentFields, type CsiNode, nodeFields, type Volume, volumeFields } from "./fields.ts";
import type { AttacherComponentContext } from "./flags.ts";
import { persistentVolumeName } from "./resolved-attachment.ts";

/** What the event handlers and reconcilers share. */
export interface AttacherContext {
  readonly driver: DriverInfo;
  /** The CSI controller service of the driver. */
  readonly csiController: DriverClient["controller"];
  /** Shared with the other components of the process. */
  readonly volumeLists: VolumeLists;
  /** `--timeout` */
  readonly timeoutMs: number;
  /** Whether attach errors carry the driver's gRPC code. */
  readonly errorCodes: boolean;
  readonly kube: Client;
  /** What the watches show. */
  readonly caches: AttacherCaches;
  /** The same, never behind our own writes. */
  readonly attachments: AssumeCache<Attachment>;
  readonly volumes: AssumeCache<Volume>;
  readonly nodes: Pick<View<CsiNode>, "get">;
  readonly state: AttachmentState;
  readonly queues: AttachDetachQueues;
  /** Removes the finalizers of volumes; keys are names of PersistentVolumes. */
  readonly volumeController: Controller;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface AttacherCaches {
  readonly attachments: View<Attachment>;
  readonly volumes: View<Volume>;
  readonly nodes: View<CsiNode>;
}

/** The indexes of attachments by the objects that they name. */
export const byVolume = "volume";
export const byNode = "node";

export function attacherContext(context: AttacherComponentContext, capabilities: PublishCapabilities): AttacherContext {
  const { driver, flags, gates, kube, clock, log } = context;
  const caches = openCaches(context.informers);
  const attachments = new AssumeCache(caches.attachments, projectorFor(attachmentFields));
  const volumes = new AssumeCache(caches.volumes, projectorFor(volumeFields));
  const state = new AttachmentState();
  return {
    driver: {
      name: driver.name,
      finalizer: finalizerName(driver.name),
      publishReadonly: capabilities.publishReadonly,
      singleNodeMultiWriter: capabilities.singleNodeMultiWriter,
      defaultFsType: flags.defaultFstype,
    },
    csiController: driver.client.controller,
    volumeLists: driver.volumeLists,
    timeoutMs: flags.timeout,
    errorCodes: gates.enabled("MutableCSINodeAllocatableCount"),
    queues: new AttachDetachQueues(context, {
      ...{ workers: flags.workerThreads, retryIntervals: flags, driver: driver.availability, state, attachments },
    }),
    volumeController: new Controller(context, {
      name: "csi-attacher-pv",
      rateLimiter: retryRateLimiter(flags),
      workers: flags.workerThreads,
    }),
    nodes: caches.nodes,
    ...{ kube, caches, attachments, volumes, state, clock, log },
  };
}

function openCaches(informers: Informers): AttacherCaches {
  const attachments = informers.forFields(attachmentFields);
  attachments.addIndex(byVolume, (attachment) => [persistentVolumeName(attachment) ?? ""].filter((name) => name !== ""));
  attachments.addIndex(byNode, ({ spec }) => [spec.nodeName]);
  return { attachments, volumes: informers.forFields(volumeFields), nodes: informers.forFields(nodeFields) };
}
