import { growthResults } from "../shared/growth-results.ts";
import { type OperationBudget, operationResults, relativeTo } from "../shared/operation-results.ts";
import { atMost, type Column, columnOf, median, megabytes, type Result, thousands } from "../shared/result.ts";
import type { CreateDeleteCost } from "./measure-create-delete.ts";

/** The numbers to reach, derived from upstream's provisioner on the machine the budgets were set on. */
const budgets = {
  /** MB, for a process with four components: one alone has to stay well below. */
  idleMegabytes: 60,
  /** Without events and leases. */
  requests: { create: 1, delete: 3 },
  csiCalls: 1,
  refused: 0,
  /** Volumes per second with default flags. */
  limitedPerSecond: { create: 5.4, delete: 3.5 },
  /** MB, while volumes are created and deleted beside as many as can be {@link Sizes.present}. */
  crowdedPeakMegabytes: 160,
  /** Memory after work and a pause, divided by what it was before. */
  quiet: 1.15,
  /** As a fraction of what upstream's provisioner reaches in the same run. */
  relative: { perSecond: 1, cpu: 0.5 },
} as const;

/** What was measured of one subject, each over several processes. */
export interface Measured {
  readonly subject: string;
  readonly ours: boolean;
  readonly unlimited: readonly CreateDeleteCost[];
  readonly limited: readonly CreateDeleteCost[];
  /** More volumes where there were none, and where there were many. */
  readonly alone: readonly CreateDeleteCost[];
  readonly crowded: readonly CreateDeleteCost[];
}

/** How many volumes each measurement had. */
export interface Sizes {
  readonly claims: number;
  readonly limitedClaims: number;
  readonly present: number;
  readonly more: number;
  /** How long the pause is after which memory is read once more; 0 where there is none. */
  readonly quietSeconds: number;
}

type OperationName = "create" | "delete";

/** The measurements with their budgets. Budgets relative to `peer` are left out without one. */
export function resultsOf(measured: Measured, peer: Measured | undefined, sizes: Sizes): readonly Result[] {
  const { unlimited, limited, alone, crowded } = measured;
  const column = columnOf(measured.ours);
  const step = (
    samples: readonly CreateDeleteCost[],
    label: string,
    name: OperationName,
    budget: Pick<OperationBudget, "perSecond" | "cpuMs">,
  ) =>
    operationResults(
      column,
      samples.map((sample) => sample[name]),
      label,
      { ...budget, requests: budgets.requests[name], csiCalls: budgets.csiCalls, refused: budgets.refused, withEvents: true },
    );
  const withoutLimit = (name: OperationName) => {
    const theirs = (peer?.unlimited ?? []).map((sample) => sample[name]);
    return step(unlimited, `${name} ${thousands(sizes.claims)}`, name, relativeTo(theirs, budgets.relative));
  };
  const withDefaults = (name: OperationName) =>
    step(limited, `default flags, ${name} ${sizes.limitedClaims}`, name, {
      perSecond: budgets.limitedPerSecond[name],
      cpuMs: undefined,
    });
  const growth = (name: OperationName) => {
    const costs = (samples: readonly CreateDeleteCost[]) => samples.map((sample) => sample[name]);
    const label = (present: number) => `${name} ${thousands(sizes.more)} at ${thousands(present)}`;
    return growthResults(column, { few: costs(alone), many: costs(crowded) }, { few: label(0), many: label(sizes.present) });
  };

  const beside = `${thousands(sizes.present)} volumes`;
  return [
    ...column(unlimited, "RSS, idle, empty cluster", "MB", ({ idleRss }) => megabytes(idleRss), atMost(budgets.idleMegabytes)),
    ...withoutLimit("create"),
    ...column(unlimited, `RSS, ${thousands(sizes.claims)} volumes`, "MB", ({ fullRss }) => megabytes(fullRss)),
    ...withoutLimit("delete"),
    ...column(unlimited, "RSS, at the end", "MB", ({ endRss }) => megabytes(endRss)),
    ...column(unlimited, "RSS, peak", "MB", ({ peakRss }) => megabytes(peakRss)),
    ...quietResults(column, unlimited, `RSS, ${sizes.quietSeconds} s after the end`),
    ...withDefaults("create"),
    ...withDefaults("delete"),
    ...growth("create"),
    ...growth("delete"),
    ...column(crowded, `RSS, idle, ${beside}`, "MB", ({ idleRss }) => megabytes(idleRss)),
    ...column(crowded, `RSS, peak, ${beside}`, "MB", ({ peakRss }) => megabytes(peakRss), atMost(budgets.crowdedPeakMegabytes)),
    ...quietResults(column, crowded, `RSS, ${sizes.quietSeconds} s after the end, ${beside}`),
  ];
}

/** Where it was not waited for there is nothing to tell. */
function quietResults(column: Column, samples: readonly CreateDeleteCost[], what: string): readonly Result[] {
  const waited = samples.flatMap(({ idleRss, quietRss }) => (quietRss === undefined ? [] : [{ idleRss, quietRss }]));
  const before = median(waited.map(({ idleRss }) => megabytes(idleRss)));
  return column(waited, what, "MB", ({ quietRss }) => megabytes(quietRss), atMost(before * budgets.quiet));
}
