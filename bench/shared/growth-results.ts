import type { OperationCost } from "./measure-operation.ts";
import { atMost, type Budget, type Column, median, type Result } from "./result.ts";

/** The cost of an operation when many volumes exist, divided by its cost when few do. */
const growth = 1.2;

/** What one operation cost where few volumes were, and where many were. */
export interface Growth {
  readonly few: readonly OperationCost[];
  readonly many: readonly OperationCost[];
}

/** The rows of one operation; `label` names it with few and with many volumes. */
export function growthResults(column: Column, { few, many }: Growth, label: Record<keyof Growth, string>): readonly Result[] {
  const rows = (what: string, unit: string, value: (cost: OperationCost) => number, limit?: Budget) => [
    ...column(few, `${label.few}: ${what}`, unit, value),
    ...column(many, `${label.many}: ${what}`, unit, value, limit),
  ];
  const limited = (what: string, unit: string, value: (cost: OperationCost) => number) =>
    rows(what, unit, value, atMost(median(few.map(value)) * growth));
  return [
    // Without a budget: the cluster's own controllers set the pace, and the same work costs more CPU where there is less of it at once.
    ...rows("volumes", "/s", ({ perSecond }) => perSecond),
    ...limited("CPU", "ms/op", ({ cpuMs }) => cpuMs),
    ...limited("requests", "/op", ({ requests }) => requests),
  ];
}
