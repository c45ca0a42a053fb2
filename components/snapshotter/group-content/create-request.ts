import type { Result } from "@csi-sidecars/base";
import type { CreateVolumeGroupSnapshotRequest } from "@csi-sidecars/csi";
import { driverParameters, snapshotMetadata } from "../class-parameters.ts";
import type { GroupContent, SnapshotClass } from "../fields.ts";
import { messages } from "../messages.ts";
import { type SnapshotNaming, snapshotName } from "../snapshot-name.ts";
import { groupMessages } from "./group-messages.ts";

export interface CreateOptions {
  /** `--groupsnapshot-name-prefix` and `--groupsnapshot-name-uuid-length` */
  readonly naming: SnapshotNaming;
  /** `--extra-create-metadata` */
  readonly extraMetadata: boolean;
}

/** What CreateVolumeGroupSnapshot is asked, without secrets; or why it cannot be, in upstream's words. */
export function createRequest(
  content: GroupContent,
  groupClass: Pick<SnapshotClass, "parameters">,
  { naming, extraMetadata }: CreateOptions,
): Result<Omit<CreateVolumeGroupSnapshotRequest, "secrets">> {
  const { name } = content.metadata;
  const parameters = driverParameters(groupClass.parameters);
  if (parameters.error !== undefined) return { error: messages.parametersInvalid(parameters.error) };
  const volumes = content.spec?.source?.volumeHandles ?? [];
  const reference = content.spec?.volumeGroupSnapshotRef;
  if (!reference?.uid) return { error: takeFailed(content, groupMessages.notBound(name)) };
  if (volumes.length === 0) return { error: takeFailed(content, groupMessages.noVolumes(name)) };
  return {
    value: {
      name: snapshotName(naming, reference.uid),
      sourceVolumeIds: volumes,
      parameters: { ...parameters.value, ...(extraMetadata && snapshotMetadata("volumegroupsnapshot", reference, name)) },
    },
  };
}

/** That a group snapshot could not be taken, and why. */
export function takeFailed({ spec }: GroupContent, cause: string): string {
  return groupMessages.takeFailed((spec?.source?.volumeHandles ?? []).join(" "), cause);
}
