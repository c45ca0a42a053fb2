import { growthResults } from "../shared/growth-results.ts";
import { emptyResults, presentResults } from "../shared/idle-results.ts";
import type { IdleCost } from "../shared/measure-idle.ts";
import type { OperationCost } from "../shared/measure-operation.ts";
import { type OperationBudget, operationResults, relativeTo } from "../shared/operation-results.ts";
import { columnOf, megabytes, type Result, thousands } from "../shared/result.ts";
import type { ResizeCost } from "./measure-resize.ts";

/** The numbers to reach, derived from upstream's resizer on the machine the budgets were set on. */
const budgets = {
  /** Without events and leases. */
  requests: 3,
  csiCalls: 1,
  refused: 0,
  /** Volumes per second with default flags. */
  limitedPerSecond: 2,
  /** As a fraction of what upstream's resizer reaches in the same run. */
  relative: { perSecond: 1, cpu: 0.5 },
} as const;

/** What was measured of one subject, each over several processes. */
export interface Measured {
  readonly subject: string;
  readonly ours: boolean;
  readonly empty: readonly IdleCost[];
  readonly unlimited: readonly ResizeCost[];
  readonly limited: readonly ResizeCost[];
  /** With a driver whose nodes have to expand file systems. */
  readonly nodeExpansion: readonly OperationCost[];
  /** Started beside many volumes and pods, as it is by default and without in-use handling. */
  readonly present: readonly IdleCost[];
  readonly withoutInUse: readonly IdleCost[];
  /** RSS beside them, in bytes, after the driver refused a volume that is in use. */
  readonly afterRefusal: readonly number[];
  readonly crowded: readonly ResizeCost[];
}

/** How many volumes each measurement had. */
export interface Sizes {
  readonly volumes: number;
  readonly limitedVolumes: number;
  readonly present: number;
  readonly pods: number;
}

type OperationName = "grow" | "modify";

/** The measurements with their budgets. Budgets relative to `peer` are left out without one. */
export function resultsOf(measured: Measured, peer: Measured | undefined, sizes: Sizes): readonly Result[] {
  const { unlimited, limited, crowded } = measured;
  const column = columnOf(measured.ours);
  const costsOf = (samples: readonly ResizeCost[] = [], name: OperationName) => samples.map((sample) => sample[name]);
  const rows = (costs: readonly OperationCost[], label: string, speed: Pick<OperationBudget, "perSecond" | "cpuMs">) => {
    const { requests, csiCalls, refused } = budgets;
    return operationResults(column, costs, label, { ...speed, requests, csiCalls, refused, withEvents: true });
  };
  const withoutLimit = (name: OperationName) => {
    const speed = relativeTo(costsOf(peer?.unlimited, name), budgets.relative);
    return rows(costsOf(unlimited, name), `${name} ${thousands(sizes.volumes)}`, speed);
  };
  const withDefaults = (name: OperationName) => {
    const speed = { perSecond: budgets.limitedPerSecond, cpuMs: undefined };
    return rows(costsOf(limited, name), `default flags, ${name} ${sizes.limitedVolumes}`, speed);
  };
  const growth = (name: OperationName) => {
    const label = (existing: number) => `${name} ${thousands(sizes.volumes)} of ${thousands(existing)}`;
    const costs = { few: costsOf(unlimited, name), many: costsOf(crowded, name) };
    return crowded.length === 0 ? [] : growthResults(column, costs, { few: label(sizes.volumes), many: label(sizes.present) });
  };
  const nodeExpansion = relativeTo(peer?.nodeExpansion ?? [], budgets.relative);
  const beside = `volumes, ${thousands(sizes.pods)} pods`;
  return [
    ...emptyResults(column, measured.empty),
    ...withoutLimit("grow"),
    ...column(unlimited, `RSS, after growing ${thousands(sizes.volumes)}`, "MB", ({ grownRss }) => megabytes(grownRss)),
    ...withoutLimit("modify"),
    ...rows(measured.nodeExpansion, `grow ${thousands(sizes.volumes)}, nodes expand too`, nodeExpansion),
    ...withDefaults("grow"),
    ...withDefaults("modify"),
    ...presentResults(column, measured.present, sizes.present, beside),
    ...presentResults(column, measured.withoutInUse, sizes.present, `${beside}, no in-use handling`),
    ...column(measured.afterRefusal, `RSS, ${thousands(sizes.present)} ${beside}, after a FailedPrecondition`, "MB", megabytes),
    ...growth("grow"),
    ...growth("modify"),
  ];
}
