import type { Result } from "@csi-sidecars/base";
import type { Parameters } from "@csi-sidecars/controller";
import type { CreateVolumeGroupSnapshotRequest } from "@csi-sidecars/csi";
import { driverParameters, snapshotMetadata } from "../class-parameters.ts";
import type { GroupContent, SnapshotClass } from "../fields.ts";
import { messages } from "../messages.ts";
import { type SnapshotNaming, snapshotName } from "../snapshot-name.ts";
import { groupMessages } from "./group-messages.ts";
import { isAbandoned, isMarked } from "./plan-group-content.ts";

/** What CreateVolumeGroupSnapshot is asked, without secrets. */
export type CreateRequest = Omit<CreateVolumeGroupSnapshotRequest, "secrets">;

export interface CreateOptions {
  /** `--groupsnapshot-name-prefix` and `--groupsnapshot-name-uuid-length` */
  readonly naming: SnapshotNaming;
  /** `--extra-create-metadata` */
  readonly extraMetadata: boolean;
}

export interface PlannedRequest {
  readonly request: CreateRequest;
  /** Those of the class. */
  readonly parameters: Parameters;
  /** Whether the parameters are not known: the class is gone, and so is who knew them. */
  readonly isGuess: boolean;
}

/**
 * What the driver is asked for a content, or why it cannot be, in upstream's words. A content that is deleted while nobody knows what became
 * of an earlier call does not wait for its class: that call is repeated with its parameters (`last`) or, after a restart, without any. Otherwise
 * the content could never go.
 */
export function planRequest(
  content: GroupContent,
  groupClass: Pick<SnapshotClass, "parameters"> | undefined,
  options: CreateOptions & { readonly last: Parameters | undefined },
): Result<PlannedRequest> {
  const found = classParameters(content, groupClass);
  const isRepeated = found.error !== undefined && isAbandoned(content) && isMarked(content);
  if (found.error !== undefined && !isRepeated) return found;
  const parameters = found.value ?? options.last ?? {};
  const request = createRequest(content, parameters, options);
  if (request.error !== undefined) return request;
  return { value: { request: request.value, parameters, isGuess: isRepeated && !options.last } };
}

function classParameters({ metadata, spec }: GroupContent, groupClass: Pick<SnapshotClass, "parameters"> | undefined): Result<Parameters> {
  const className = spec?.volumeGroupSnapshotClassName;
  if (!groupClass) {
    const problem = className === undefined ? groupMessages.noClass(metadata.name) : groupMessages.classMissing(className);
    return { error: groupMessages.inputUnavailable(metadata.name, problem) };
  }
  const parameters = driverParameters(groupClass.parameters);
  return parameters.error === undefined ? parameters : { error: messages.parametersInvalid(parameters.error) };
}

function createRequest(content: GroupContent, parameters: Parameters, { naming, extraMetadata }: CreateOptions): Result<CreateRequest> {
  const { name } = content.metadata;
  const volumes = content.spec?.source?.volumeHandles ?? [];
  const reference = content.spec?.volumeGroupSnapshotRef;
  if (!reference?.uid) return { error: takeFailed(content, groupMessages.notBound(name)) };
  if (volumes.length === 0) return { error: takeFailed(content, groupMessages.noVolumes(name)) };
  return {
    value: {
      name: snapshotName(naming, reference.uid),
      sourceVolumeIds: volumes,
      parameters: { ...parameters, ...(extraMetadata && snapshotMetadata("volumegroupsnapshot", reference, name)) },
    },
  };
}

/** That a group snapshot could not be taken, and why. */
export function takeFailed({ spec }: GroupContent, cause: string): string {
  return groupMessages.takeFailed((spec?.source?.volumeHandles ?? []).join(" "), cause);
}
