import { atMost, type Budget, megabytes, type Result, thousands } from "../shared/result.ts";
import type { SubjectResults } from "../shared/result-table.ts";
import type { PhaseCost, ScaleCost } from "./measure.ts";
import { changedKinds, type Size } from "./orders.ts";

/** The numbers to reach. */
const budgets = {
  full: { volumes: 100_000, megabytes: 400 },
  /** How often kubelet may be kept waiting: its default `timeoutSeconds` is 1. */
  probeMs: 1_000,
  /** The default `--leader-election-renew-deadline`. */
  renewalMs: 10_000,
  /** CPU for an event, divided by that in the smallest cluster. */
  growth: 1.2,
} as const;

/** What was measured in a cluster of one size. */
export interface Measured {
  readonly size: Size;
  readonly cost: ScaleCost;
}

/** One column for each size, smallest first. `events` is how many objects of each kind were changed. */
export function resultsOf(measured: readonly Measured[], events: number): readonly SubjectResults[] {
  return measured.map(({ size, cost }) => ({
    subject: `${thousands(size.volumes)} volumes, ${thousands(size.nodes)} nodes, ${thousands(size.pods)} pods`,
    results: [...startResults(size, cost.start), ...changeResults(cost, measured[0]?.cost, events), ...restartResults(cost.restart)],
  }));
}

function startResults({ volumes }: Size, start: PhaseCost): readonly Result[] {
  const { full } = budgets;
  return [
    row("start: until quiet", start.seconds, "s"),
    row("start: CPU", start.cpuSeconds, "s"),
    row("start: RSS, peak", megabytes(start.peak), "MB"),
    row("RSS at rest", megabytes(start.rss), "MB", volumes === full.volumes ? atMost(full.megabytes) : undefined),
    ...latencies("start", start),
  ];
}

function changeResults({ changes }: ScaleCost, smallest: ScaleCost | undefined, events: number): readonly Result[] {
  const perEvent = (cost: PhaseCost) => (cost.cpuSeconds * 1000) / events;
  const most = (value: (cost: PhaseCost) => number) => Math.max(...[...changes.values()].map(value));
  const storm = `${thousands(events)} of a kind written`;
  return [
    ...changedKinds.flatMap((kind) => {
      const [cost, least] = [changes.get(kind), smallest?.changes.get(kind)];
      if (!cost || !least) return [];
      const budget = cost === least ? undefined : atMost(perEvent(least) * budgets.growth);
      return [row(`${storm}: CPU per event, ${kind}`, perEvent(cost), "ms", budget)];
    }),
    row(`${storm}: RSS, peak`, megabytes(most(({ peak }) => peak)), "MB"),
    ...latencies(storm, { longestProbeMs: most((cost) => cost.longestProbeMs), longestRenewalMs: most((cost) => cost.longestRenewalMs) }),
  ];
}

function restartResults(restart: PhaseCost): readonly Result[] {
  return [
    row("API server restarted: until quiet", restart.seconds, "s"),
    row("API server restarted: CPU", restart.cpuSeconds, "s"),
    row("API server restarted: RSS, peak", megabytes(restart.peak), "MB"),
    row("API server restarted: RSS when quiet", megabytes(restart.rss), "MB"),
    ...latencies("API server restarted", restart),
  ];
}

const latencies = (when: string, { longestProbeMs, longestRenewalMs }: Pick<PhaseCost, "longestProbeMs" | "longestRenewalMs">) => [
  row(`${when}: longest answer to a health probe`, longestProbeMs, "ms", atMost(budgets.probeMs)),
  row(`${when}: longest between two renewals`, longestRenewalMs / 1000, "s", atMost(budgets.renewalMs / 1000)),
];

const row = (what: string, value: number, unit: string, budget?: Budget): Result => ({ what, value, unit, ...(budget && { budget }) });
