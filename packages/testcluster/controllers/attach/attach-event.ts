import type { Attachment } from "../fields.ts";

interface AttachEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** What the pods on the node are told when the state of an attachment changes. */
export function attachEvent(old: Attachment, { spec, status }: Attachment): AttachEvent | undefined {
  const volume = spec.source.persistentVolumeName;
  if (status?.attached && !old.status?.attached) {
    return { type: "Normal", reason: "SuccessfulAttachVolume", message: `AttachVolume.Attach succeeded for volume "${volume}" ` };
  }
  const [before, now] = [old.status?.attachError, status?.attachError];
  if (!now || (now.time === before?.time && now.message === before?.message)) return undefined;
  return {
    type: "Warning",
    reason: "FailedAttachVolume",
    message: `AttachVolume.Attach failed for volume "${volume}" : ${now.message ?? ""}`,
  };
}
