import { done, type Reconcile, requeueAfter } from "@csi-sidecars/controller";
import { claimsOn } from "./claims-on-node.ts";
import type { NodeContext } from "./node-context.ts";
import { healthOf, type NodeHealth } from "./node-health.ts";
import { type Outage, planNode } from "./plan-node.ts";

/** Tells the claims of a node's pods that it has failed, or that it is back. */
export function reconcileNode(c: NodeContext): Reconcile {
  return async (name) => {
    const health = healthOf(c.nodes.get(name));
    const outage = c.outages.get(name);
    const plan = planNode(health, outage, c.clock.monotonic(), c.notReadyLimitMs);
    switch (plan.step) {
      case "none":
        return done;
      case "forget":
        c.outages.delete(name);
        return done;
      case "wait":
        c.outages.set(name, plan.outage);
        c.log.v(6).info("Node is down, and its claims are not told yet", { node: name, afterMs: plan.afterMs });
        return requeueAfter(plan.afterMs);
      case "report failure":
        return reportFailure(name, health, outage, c) ? requeueAfter(c.notReadyLimitMs) : done;
      case "report recovery":
        reportRecovery(name, outage, c);
        return done;
    }
  };
}

/**
 * Returns whether it is to be reported again. A node that is gone is forgotten with its last pod, but looked at twice: the cache of pods
 * may have been behind.
 */
function reportFailure(name: string, health: NodeHealth, outage: Outage | undefined, c: NodeContext): boolean {
  const claims = claimsOn(name, c);
  if (health === "deleted" && claims.length === 0 && outage?.reportedAt !== undefined) {
    c.outages.delete(name);
    return false;
  }
  if (claims.length > 0) c.log.info("Node is broken", { node: name, health, claims: claims.length });
  for (const { claim, pods } of claims) c.events.nodeFailed(claim, name, pods);
  const now = c.clock.monotonic();
  c.outages.set(name, { since: outage?.since ?? now, reportedAt: now, told: new Set(claims.map(({ claim }) => claim.metadata.uid)) });
  return true;
}

/** Only claims that were told of the failure, and still have pods there, are told of its end. */
function reportRecovery(name: string, outage: Outage | undefined, c: NodeContext): void {
  const claims = claimsOn(name, c).filter(({ claim }) => outage?.told.has(claim.metadata.uid));
  if (claims.length > 0) c.log.info("Node recovered", { node: name, claims: claims.length });
  for (const { claim } of claims) c.events.nodeRecovered(claim, name);
  c.outages.delete(name);
}
