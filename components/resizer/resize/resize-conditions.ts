import type { ClaimCondition } from "../claim-patch.ts";

/** The conditions of a claim that tell about its expansion. All others belong to somebody else. */
const types = ["Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"] as const;

type ResizeConditionType = (typeof types)[number];

/** A condition that holds from now on. */
export interface NewCondition {
  readonly type: ResizeConditionType;
  readonly message?: string;
  /** When, in the form of the API. */
  readonly now: string;
  /** Whether it begins now even if it held before: for another reason. */
  readonly anew?: boolean;
}

/**
 * The conditions of a claim with the added one. The other conditions about its expansion are kept or dropped. A condition that already
 * says the same stays as it is, unless it begins anew.
 */
export function mergeResizeConditions(
  old: readonly ClaimCondition[] = [],
  added: NewCondition | undefined,
  others: "keep" | "drop",
): readonly ClaimCondition[] {
  const merged = old.flatMap((condition) => {
    if (condition.type === added?.type) return [!added.anew && saysTheSame(condition, added) ? condition : conditionOf(added)];
    return others === "drop" && isResizeCondition(condition) ? [] : [condition];
  });
  const isNew = added && !old.some(({ type }) => type === added.type);
  return isNew ? [...merged, conditionOf(added)] : merged;
}

export function hasCondition(conditions: readonly ClaimCondition[] = [], type: ResizeConditionType): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === "True");
}

function isResizeCondition({ type }: ClaimCondition): boolean {
  return (types as readonly string[]).includes(type);
}

function saysTheSame({ status, reason = "", message = "" }: ClaimCondition, added: NewCondition): boolean {
  return status === "True" && reason === "" && message === (added.message ?? "");
}

function conditionOf({ type, message, now }: NewCondition): ClaimCondition {
  return { type, status: "True", lastTransitionTime: now, ...(message !== undefined && { message }) };
}
