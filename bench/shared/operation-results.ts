import type { OperationCost } from "./measure-operation.ts";
import { atLeast, atMost, type Column, median, type Result } from "./result.ts";

/** What one operation may cost per volume. Speed and CPU have a budget only where a number is given. */
export interface OperationBudget {
  readonly perSecond: number | undefined;
  readonly cpuMs: number | undefined;
  readonly requests: number;
  readonly csiCalls: number;
  readonly refused: number;
  /** Whether to add a row for requests including events; it has no budget. */
  readonly withEvents?: boolean;
}

/** The rows of one operation in the table. */
export function operationResults(
  column: Column,
  costs: readonly OperationCost[],
  label: string,
  budget: OperationBudget,
): readonly Result[] {
  const row = (what: string, unit: string, value: (cost: OperationCost) => number, limit?: Result["budget"]) =>
    column(costs, `${label}: ${what}`, unit, value, limit);
  return [
    ...row("volumes", "/s", ({ perSecond }) => perSecond, budget.perSecond ? atLeast(budget.perSecond) : undefined),
    ...row("CPU", "ms/op", ({ cpuMs }) => cpuMs, budget.cpuMs ? atMost(budget.cpuMs) : undefined),
    ...row("requests", "/op", ({ requests }) => requests, atMost(budget.requests)),
    ...(budget.withEvents ? row("requests with events", "/op", ({ requests, events }) => requests + events) : []),
    ...row("requests answered 4xx", "", ({ refused }) => total(refused), atMost(budget.refused)),
    ...row("CSI calls", "/op", ({ csiCalls }) => csiCalls, atMost(budget.csiCalls)),
  ];
}

/** Speed and CPU budgets as a fraction of what a peer reached in the same run; none without a peer. */
export function relativeTo(
  peer: readonly OperationCost[],
  part: { readonly perSecond: number; readonly cpu: number },
): Pick<OperationBudget, "perSecond" | "cpuMs"> {
  if (peer.length === 0) return { perSecond: undefined, cpuMs: undefined };
  return {
    perSecond: median(peer.map(({ perSecond }) => perSecond)) * part.perSecond,
    cpuMs: median(peer.map(({ cpuMs }) => cpuMs)) * part.cpu,
  };
}

/** The requests of a subject to the API server, and those answered 4xx, as text. */
export function requestsText(subject: string, costs: Readonly<Record<string, OperationCost | undefined>>): string {
  const list = (counts: ReadonlyMap<string, number>) => [...counts].map(([what, count]) => `${count} ${what}`).join(", ") || "none";
  const lines = Object.entries(costs).flatMap(([name, cost]) =>
    cost ? [`  ${name}: ${list(cost.requestCounts)}${cost.refused.size > 0 ? `; answered 4xx: ${list(cost.refused)}` : ""}`] : [],
  );
  return [subject, ...lines].join("\n");
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
