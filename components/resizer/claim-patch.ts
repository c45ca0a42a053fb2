import { isDeepStrictEqual } from "node:util";
import { ownValue } from "@csi-sidecars/base";
import { type Patch, strategicMergePatch } from "@csi-sidecars/kube";
import type { Claim } from "./fields.ts";

export type ClaimStatus = NonNullable<Claim["status"]>;
export type ClaimCondition = NonNullable<ClaimStatus["conditions"]>[number];

/** The message of a condition: a driver's error may have 64 KiB; what helps a reader is at its beginning. */
export const maxConditionBytes = 16 * 1024;

/** How a claim is to look: its status, and the annotations that change with it. */
export interface WantedClaim {
  readonly annotations?: Claim["metadata"]["annotations"];
  readonly status: ClaimStatus;
}

/**
 * The patch of the status subresource that turns a claim into the wanted one; `undefined` where nothing changes. It names only what
 * changes and the state that it was planned for (`resourceVersion`), so nothing that somebody else writes meanwhile is overwritten.
 */
export function claimPatch({ metadata, status = {} }: Claim, wanted: WantedClaim): Patch | undefined {
  const changes = statusChanges(status, wanted.status);
  const annotations = mapChanges(metadata.annotations, wanted.annotations ?? metadata.annotations);
  if (!annotations && Object.keys(changes).length === 0) return undefined;
  const { uid, resourceVersion } = metadata;
  return strategicMergePatch({ metadata: { uid, resourceVersion, ...(annotations && { annotations }) }, status: changes });
}

function statusChanges(old: ClaimStatus, wanted: ClaimStatus): object {
  const statuses = mapChanges(old.allocatedResourceStatuses, wanted.allocatedResourceStatuses);
  const noStatuses = Object.keys(wanted.allocatedResourceStatuses ?? {}).length === 0;
  const changes = {
    capacity: mapChanges(old.capacity, wanted.capacity),
    allocatedResources: mapChanges(old.allocatedResources, wanted.allocatedResources),
    allocatedResourceStatuses: statuses && noStatuses ? null : statuses,
    ...conditionChanges(old.conditions ?? [], wanted.conditions ?? []),
    currentVolumeAttributesClassName: valueChange(old.currentVolumeAttributesClassName, wanted.currentVolumeAttributesClassName),
    modifyVolumeStatus: valueChange(old.modifyVolumeStatus, wanted.modifyVolumeStatus),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, change]) => change !== undefined));
}

type Values = Readonly<Record<string, unknown>>;

/** The keys that change, those that go as null; `undefined` where none does. */
function mapChanges(old: Values = {}, wanted: Values = {}): Values | undefined {
  const keys = [...new Set([...Object.keys(old), ...Object.keys(wanted)])].filter(
    (key) => !isDeepStrictEqual(ownValue(old, key), ownValue(wanted, key)),
  );
  return keys.length === 0 ? undefined : Object.fromEntries(keys.map((key) => [key, ownValue(wanted, key) ?? null]));
}

function valueChange(old: unknown, wanted: unknown): unknown {
  return isDeepStrictEqual(old, wanted) ? undefined : (wanted ?? null);
}

/**
 * Conditions are merged by their type: those that change are sent whole, those that go with an instruction to delete them, and new ones
 * follow the others. A list that becomes empty is not sent as null, which would delete a condition that somebody else has just added.
 */
function conditionChanges(old: readonly ClaimCondition[], wanted: readonly ClaimCondition[]): object {
  const changed = wanted.flatMap((condition) => {
    const before = old.find(({ type }) => type === condition.type);
    const changes = mapChanges(before, condition);
    return changes ? [{ ...changes, type: condition.type, status: condition.status }] : [];
  });
  const gone = old.filter(({ type }) => !wanted.some((condition) => condition.type === type));
  const conditions = [...changed, ...gone.map(({ type }) => ({ $patch: "delete", type }))];
  if (conditions.length === 0) return {};
  const order = { "$setElementOrder/conditions": wanted.map(({ type }) => ({ type })) };
  return { ...(old.length > 0 && wanted.length > 0 && order), conditions };
}
