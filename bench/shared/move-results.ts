import { atLeast, atMost, type Column } from "./column.ts";
import type { Move } from "./measure-move.ts";
import { median, type Result } from "./result.ts";

/** What one step may cost per volume; speed and CPU are compared only where a number is given. */
export interface MoveBudget {
  readonly perSecond: number | undefined;
  readonly cpuMs: number | undefined;
  readonly requests: number;
  readonly csiCalls: number;
  readonly refused: number;
  /** Whether requests are also told with events; they have no budget. */
  readonly withEvents?: boolean;
}

/** One step's rows in the table. */
export function moveResults(column: Column, moves: readonly Move[], label: string, budget: MoveBudget): readonly Result[] {
  const row = (what: string, unit: string, value: (move: Move) => number, limit?: Result["budget"]) =>
    column(moves, `${label}: ${what}`, unit, value, limit);
  return [
    ...row("volumes", "/s", ({ perSecond }) => perSecond, budget.perSecond ? atLeast(budget.perSecond) : undefined),
    ...row("CPU", "ms/op", ({ cpuMs }) => cpuMs, budget.cpuMs ? atMost(budget.cpuMs) : undefined),
    ...row("requests", "/op", ({ requests }) => requests, atMost(budget.requests)),
    ...(budget.withEvents ? row("requests with events", "/op", ({ requests, events }) => requests + events) : []),
    ...row("requests answered 4xx", "", ({ refused }) => total(refused), atMost(budget.refused)),
    ...row("CSI calls", "/op", ({ csiCalls }) => csiCalls, atMost(budget.csiCalls)),
  ];
}

/** Speed and CPU as parts of what a peer did in the same run; open without one. */
export function relativeTo(
  peer: readonly Move[],
  part: { readonly perSecond: number; readonly cpu: number },
): Pick<MoveBudget, "perSecond" | "cpuMs"> {
  if (peer.length === 0) return { perSecond: undefined, cpuMs: undefined };
  return {
    perSecond: median(peer.map(({ perSecond }) => perSecond)) * part.perSecond,
    cpuMs: median(peer.map(({ cpuMs }) => cpuMs)) * part.cpu,
  };
}

/** What a subject asked of the API server, and what of it was refused, in words. */
export function requestsText(subject: string, moves: Readonly<Record<string, Move | undefined>>): string {
  const list = (counts: ReadonlyMap<string, number>) => [...counts].map(([what, count]) => `${count} ${what}`).join(", ") || "none";
  const lines = Object.entries(moves).flatMap(([name, move]) =>
    move ? [`  ${name}: ${list(move.asked)}${move.refused.size > 0 ? `; answered 4xx: ${list(move.refused)}` : ""}`] : [],
  );
  return [subject, ...lines].join("\n");
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
