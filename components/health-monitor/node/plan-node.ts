import type { NodeHealth } from "./node-health.ts";

/** What is remembered of a node that is down. Times are monotonic. */
export interface Outage {
  /** Since when it has been down without a break. */
  readonly since: number;
  /** When the claims of its pods were last told; not yet if absent. */
  readonly reportedAt?: number;
  /** The uids of those claims. */
  readonly told: ReadonlySet<string>;
}

/** What is due for a node. */
export type NodePlan =
  | { readonly step: "none" }
  /** It is not down, and nobody was told that it was. */
  | { readonly step: "forget" }
  | { readonly step: "wait"; readonly outage: Outage; readonly afterMs: number }
  | { readonly step: "report failure" }
  | { readonly step: "report recovery" };

/**
 * A node that is not ready has failed when `limitMs` are over; one that is terminated or deleted has failed at once. The failure is
 * reported again after each `limitMs`: that keeps its event from expiring, and tells the claims of pods that came later.
 */
export function planNode(health: NodeHealth, outage: Outage | undefined, now: number, limitMs: number): NodePlan {
  switch (health) {
    case "ready":
      return { step: outage?.reportedAt === undefined ? "forget" : "report recovery" };
    case "unknown":
      return { step: outage?.reportedAt === undefined ? "forget" : "none" };
    case "terminated":
    case "deleted":
      return outage?.reportedAt === undefined ? { step: "report failure" } : planReport(outage, outage.reportedAt + limitMs, now);
    case "not-ready": {
      const known = outage ?? { since: now, told: new Set() };
      return planReport(known, Math.max(known.since, known.reportedAt ?? known.since) + limitMs, now);
    }
  }
}

function planReport(outage: Outage, due: number, now: number): NodePlan {
  return due <= now ? { step: "report failure" } : { step: "wait", outage, afterMs: due - now };
}
