import { keyOf, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { plain } from "../../text.ts";
import type { Evidence } from "../explanation.ts";

type Condition = NonNullable<NonNullable<V1PersistentVolumeClaim["status"]>["conditions"]>[number];

/** A condition of a claim that is true. */
export function conditionOf(claim: V1PersistentVolumeClaim, type: string): Condition | undefined {
  return claim.status?.conditions?.find((condition) => condition.type === type && condition.status === "True");
}

/** A condition of a claim, as evidence. */
export function conditionEvidence(claim: V1PersistentVolumeClaim, type: string): Evidence {
  const { message, reason, lastTransitionTime } = conditionOf(claim, type) ?? {};
  return {
    object: `PersistentVolumeClaim ${keyOf(claim)}`,
    field: `status.conditions[${type}]`,
    value: plain(message || reason || "True"),
    ...(lastTransitionTime && { since: lastTransitionTime }),
  };
}
