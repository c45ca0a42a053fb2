import type { Result } from "@csi-sidecars/base";
import type { Parameters } from "@csi-sidecars/controller";
import type { CreateSnapshotRequest } from "@csi-sidecars/csi";
import { snapshotMetadata } from "../class-parameters.ts";
import type { Content } from "../fields.ts";
import { messages } from "../messages.ts";
import { type SnapshotNaming, snapshotName } from "../snapshot-name.ts";

export interface CreateOptions {
  /** `--snapshot-name-prefix` and `--snapshot-name-uuid-length` */
  readonly naming: SnapshotNaming;
  /** `--extra-create-metadata` */
  readonly extraMetadata: boolean;
}

/** What CreateSnapshot is asked, without secrets; or why it cannot be, in upstream's words. */
export function createRequest(
  { metadata: { name }, spec }: Content,
  parameters: Parameters,
  { naming, extraMetadata }: CreateOptions,
): Result<Omit<CreateSnapshotRequest, "secrets">> {
  const reference = spec?.volumeSnapshotRef;
  const volume = spec?.source?.volumeHandle ?? "";
  if (!reference?.uid) return { error: messages.takeFailed(volume, messages.notBound(name)) };
  if (volume === "") return { error: messages.takeFailed(volume, messages.noVolume(name)) };
  return {
    value: {
      name: snapshotName(naming, reference.uid),
      sourceVolumeId: volume,
      parameters: { ...parameters, ...(extraMetadata && snapshotMetadata("volumesnapshot", reference, name)) },
    },
  };
}
