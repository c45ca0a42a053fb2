import { replayDeletedObjects, type V1VolumeAttachment, VolumeAttachment } from "@csi-sidecars/kube";
import { abandonRemoved, isAbandoned } from "./abandoned.ts";
import type { AttacherContext } from "./attacher-context.ts";
import type { Attachment } from "./fields.ts";
import { volumeNameOf } from "./volume-source.ts";

/**
 * Has the volumes detached of attachments that vanished under our finalizer while a process was killed that had them attached: the
 * API server's history is the only place that still knows of them. Until this has ended no volume may be let go of. It never fails:
 * where the history cannot be read, the work goes on without it.
 */
export async function catchUp(
  c: AttacherContext,
  project: (object: V1VolumeAttachment) => Attachment,
  lookAtVolume: (name: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const onDelete = (object: V1VolumeAttachment) => {
    const attachment = project(object);
    const volume = volumeNameOf(attachment);
    if (isAbandoned(attachment, c.driver)) abandonRemoved(c, attachment, () => volume !== undefined && lookAtVolume(volume));
  };
  try {
    await replayDeletedObjects(c.kube, VolumeAttachment, { clock: c.clock, signal, onDelete });
  } catch (error) {
    if (!signal.aborted) c.log.error(error, "Could not read which VolumeAttachments were removed lately");
  }
}
