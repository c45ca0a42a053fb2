import { metav1Time } from "@csi-sidecars/kube";
import type { ClaimCondition } from "../claim-patch.ts";

export const modifyingVolume = "ModifyingVolume";
export const modifyVolumeError = "ModifyVolumeError";

/** A condition about modifying, without its times. */
export interface ModifyCondition {
  readonly type: typeof modifyingVolume | typeof modifyVolumeError;
  readonly reason?: string;
  readonly message: string;
}

/**
 * The conditions with these in the place of others of their type, or behind all. `lastProbeTime` tells when the driver was last
 * heard of; `lastTransitionTime` changes with status and reason only. Conditions of other types stay as they are.
 */
export function mergeModifyConditions(
  conditions: readonly ClaimCondition[] = [],
  changed: readonly ModifyCondition[],
  now: number,
): ClaimCondition[] {
  const merged = changed.map((condition): ClaimCondition => {
    const old = conditions.find(({ type }) => type === condition.type);
    const isSame = old?.status === "True" && (old.reason ?? "") === (condition.reason ?? "");
    const time = metav1Time(now);
    const lastTransitionTime = (isSame && old.lastTransitionTime) || time;
    return { ...condition, status: "True", lastProbeTime: time, lastTransitionTime };
  });
  const kept = conditions.map((old) => merged.find(({ type }) => type === old.type) ?? old);
  return [...kept, ...merged.filter((condition) => !kept.includes(condition))];
}

/** The conditions without those of these types. */
export function withoutConditions(conditions: readonly ClaimCondition[] = [], types: readonly string[]): ClaimCondition[] {
  return conditions.filter(({ type }) => !types.includes(type));
}
