import type { RateLimit } from "@csi-sidecars/kube";
import { numberAt } from "../process/plan.ts";

/** What a component's flags allow its own client; where it has no such flags, what client-go allows. */
export function workLimit(flags: Readonly<Record<string, unknown>>): RateLimit {
  return { qps: numberAt(flags, "kubeApiQps") ?? 5, burst: numberAt(flags, "kubeApiBurst") ?? 10 };
}

const leastEvents = { qps: 25, burst: 50 };
/** A volume that is provided is one request and two events. */
const eventsPerRequest = 2;
/** As many as are sent at once: see the sender. */
const together = 10;

/**
 * What the events of all components may ask: enough to keep up with the fastest of them, so that few are lost in a long run of work. Where
 * one has no limit they have none either, and only their few connections keep them from being in the way.
 */
export function eventLimit(work: readonly RateLimit[]): RateLimit {
  if (work.some(({ qps }) => qps < 0)) return { qps: -1, burst: 0 };
  const most = (least: number, of: (limit: RateLimit) => number) => Math.max(least, ...work.map((limit) => of(limit) * eventsPerRequest));
  return { qps: most(leastEvents.qps, ({ qps }) => qps), burst: most(leastEvents.burst, ({ burst }) => burst), together };
}
