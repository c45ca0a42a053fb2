import type { Clock } from "@csi-sidecars/base";
import { claimEvents } from "@csi-sidecars/controller";
import type { Client } from "@csi-sidecars/kube";
import { eventReasons } from "../event-reasons.ts";
import { isLater, type LastSeen, lastSeen } from "../last-seen.ts";
import { failedNodeIn, recoveredNodeIn } from "../messages.ts";
import type { Outage } from "./plan-node.ts";

/** What an earlier process has written, and when it is. */
interface Reading {
  readonly kube: Pick<Client, "list">;
  /** The component that the events are from. */
  readonly source: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What a claim was last told of a node. */
interface Report extends LastSeen {
  readonly node: string;
  /** The claim's uid. */
  readonly claim: string;
}

/**
 * The nodes that an earlier process has reported as failed and not as recovered, by name, as far as its events are still there: so a
 * restart neither repeats a report before it is due nor loses a recovery.
 */
export async function reportedOutages(reading: Reading): Promise<ReadonlyMap<string, Outage>> {
  const failures = await lastReports(reading, eventReasons.nodeFailed.reason, failedNodeIn);
  if (failures.size === 0) return new Map();
  const recoveries = await lastReports(reading, eventReasons.nodeRecovered.reason, recoveredNodeIn);
  const outages = new Map<string, { readonly told: Set<string>; since: number; reportedAt: number }>();
  const { clock } = reading;
  for (const [key, failure] of failures) {
    const recovery = recoveries.get(key);
    if (recovery && isLater(recovery, failure)) continue;
    const at = clock.monotonic() - Math.max(0, clock.now() - failure.atMs);
    const outage = outages.get(failure.node) ?? { told: new Set(), since: at, reportedAt: at };
    outage.told.add(failure.claim);
    outage.reportedAt = Math.max(outage.reportedAt, at);
    outages.set(failure.node, outage);
  }
  return outages;
}

/** By claim and node. */
async function lastReports(
  { kube, source, signal }: Reading,
  reason: string,
  nodeIn: (message: string) => string | undefined,
): Promise<ReadonlyMap<string, Report>> {
  const reports = new Map<string, Report>();
  for await (const event of claimEvents(kube, { reason, source }, signal)) {
    const node = nodeIn(event.message ?? "");
    const claim = event.involvedObject.uid;
    if (!node || !claim) continue;
    const report = { ...lastSeen(event), node, claim };
    const key = `${claim} ${node}`;
    const known = reports.get(key);
    if (!known || isLater(report, known)) reports.set(key, report);
  }
  return reports;
}
