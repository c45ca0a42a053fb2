import type { Result } from "@csi-sidecars/base";
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
  /** Whether it lacks the parameters of a class that is not there any more. */
  readonly isGuess: boolean;
}

type GroupClass = Pick<SnapshotClass, "parameters">;

/**
 * What the driver is asked for a content, or why it cannot be, in upstream's words. A content that is deleted while nobody knows what became
 * of an earlier call does not wait for its class: that call is repeated as well as we can. `last` is what was asked in it, if we remember.
 */
export function planRequest(
  content: GroupContent,
  groupClass: GroupClass | undefined,
  options: CreateOptions & { readonly last: CreateRequest | undefined },
): Result<PlannedRequest> {
  const planned = requestByClass(content, groupClass, options);
  if (planned.error === undefined) return { value: { request: planned.value, isGuess: false } };
  if (!isAbandoned(content) || !isMarked(content)) return planned;
  if (options.last) return { value: { request: options.last, isGuess: false } };
  const guessed = createRequest(content, {}, options);
  return guessed.error === undefined ? { value: { request: guessed.value, isGuess: true } } : planned;
}

function requestByClass(content: GroupContent, groupClass: GroupClass | undefined, options: CreateOptions): Result<CreateRequest> {
  if (groupClass) return createRequest(content, groupClass, options);
  const { name } = content.metadata;
  const className = content.spec?.volumeGroupSnapshotClassName;
  const problem = className === undefined ? groupMessages.noClass(name) : groupMessages.classMissing(className);
  return { error: groupMessages.inputUnavailable(name, problem) };
}

function createRequest(content: GroupContent, { parameters }: GroupClass, { naming, extraMetadata }: CreateOptions): Result<CreateRequest> {
  const { name } = content.metadata;
  const passed = driverParameters(parameters);
  if (passed.error !== undefined) return { error: messages.parametersInvalid(passed.error) };
  const volumes = content.spec?.source?.volumeHandles ?? [];
  const reference = content.spec?.volumeGroupSnapshotRef;
  if (!reference?.uid) return { error: takeFailed(content, groupMessages.notBound(name)) };
  if (volumes.length === 0) return { error: takeFailed(content, groupMessages.noVolumes(name)) };
  return {
    value: {
      name: snapshotName(naming, reference.uid),
      sourceVolumeIds: volumes,
      parameters: { ...passed.value, ...(extraMetadata && snapshotMetadata("volumegroupsnapshot", reference, name)) },
    },
  };
}

/** That a group snapshot could not be taken, and why. */
export function takeFailed({ spec }: GroupContent, cause: string): string {
  return groupMessages.takeFailed((spec?.source?.volumeHandles ?? []).join(" "), cause);
}
