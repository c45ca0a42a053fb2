import type { V1Event } from "@csi-sidecars/kube";

/** The events of the health monitor: a volume is abnormal, and it no longer is. */
const abnormal = "VolumeConditionAbnormal";
const normal = "VolumeConditionNormal";

/** The claim of a volume. */
export interface ClaimRef {
  readonly uid?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * What is wrong with the volume of a claim, in the driver's words; empty for nothing. The words are in events about the claim.
 * Whether they still hold is known to the health monitor, which does not repeat an event too often: `abnormalClaims` has the names
 * that it tells in its metrics. While it is down, the last event counts.
 */
export function volumeConditions(
  events: readonly V1Event[],
  abnormalClaims: ReadonlySet<string> | undefined,
): (claim: ClaimRef | undefined) => string {
  const inOrder = events.toSorted((a, b) => version(a) - version(b));
  const lastOf = (...reasons: readonly string[]) =>
    new Map(inOrder.filter(({ reason = "" }) => reasons.includes(reason)).map((event) => [event.involvedObject.uid, event]));
  const lastReports = lastOf(abnormal);
  const lastEvents = lastOf(abnormal, normal);
  return (claim) => {
    const report = lastReports.get(claim?.uid);
    if (!claim || !report) return "";
    const isAbnormal = abnormalClaims ? abnormalClaims.has(`${claim.namespace}/${claim.name}`) : lastEvents.get(claim.uid) === report;
    return isAbnormal ? report.message || "no reason given" : "";
  };
}

/** Times have a resolution of a second, in which a volume can become abnormal and recover; versions tell what was written last. */
const version = ({ metadata }: V1Event) => Number(metadata?.resourceVersion ?? 0);
