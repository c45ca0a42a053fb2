import { atMost, columnOf, megabytes, thousands } from "../shared/column.ts";
import type { Move } from "../shared/measure-move.ts";
import { type MoveBudget, moveResults, relativeTo } from "../shared/move-results.ts";
import { median, type Result } from "../shared/result.ts";
import { budgets } from "./budgets.ts";
import type { Moves } from "./measure-moves.ts";

/** What was measured of one subject, each over several processes. */
export interface Measured {
  readonly subject: string;
  readonly ours: boolean;
  readonly moves: readonly Moves[];
  readonly limited: readonly Moves[];
  /** More volumes where there were none, and where there were many. */
  readonly alone: readonly Moves[];
  readonly crowded: readonly Moves[];
}

/** How much of everything there was. */
export interface Sizes {
  readonly claims: number;
  readonly limitedClaims: number;
  readonly present: number;
  readonly more: number;
}

type StepName = "create" | "delete";

/** The measurements as numbers with their budgets; those that are parts of what `peer` does need one. */
export function resultsOf(measured: Measured, peer: Measured | undefined, sizes: Sizes): readonly Result[] {
  const { moves, limited, alone, crowded } = measured;
  const column = columnOf(measured.ours);
  const step = (samples: readonly Moves[], label: string, name: StepName, budget: Pick<MoveBudget, "perSecond" | "cpuMs">) =>
    moveResults(
      column,
      samples.map((sample) => sample[name]),
      label,
      { ...budget, requests: budgets.requests[name], csiCalls: budgets.csiCalls, refused: budgets.refused, withEvents: true },
    );
  const unlimited = (name: StepName) => {
    const theirs = (peer?.moves ?? []).map((sample) => sample[name]);
    return step(moves, `${name} ${thousands(sizes.claims)}`, name, relativeTo(theirs, budgets.relative));
  };
  const withDefaults = (name: StepName) =>
    step(limited, `default flags, ${name} ${sizes.limitedClaims}`, name, {
      perSecond: budgets.limitedPerSecond[name],
      cpuMs: undefined,
    });
  const growth = (name: StepName) => {
    const row = (what: string, unit: string, value: (move: Move) => number) => {
      const cost = (samples: readonly Moves[]) => samples.map((sample) => value(sample[name]));
      const label = (present: number) => `${name} ${thousands(sizes.more)} at ${thousands(present)}: ${what}`;
      return [
        ...column(cost(alone), label(0), unit, (sample) => sample),
        ...column(cost(crowded), label(sizes.present), unit, (sample) => sample, atMost(median(cost(alone)) * budgets.growth)),
      ];
    };
    return [...row("CPU", "ms/op", ({ cpuMs }) => cpuMs), ...row("requests", "/op", ({ requests }) => requests)];
  };

  return [
    ...column(moves, "RSS, idle, empty cluster", "MB", ({ idleRss }) => megabytes(idleRss), atMost(budgets.idleMegabytes)),
    ...unlimited("create"),
    ...column(moves, `RSS, ${thousands(sizes.claims)} volumes`, "MB", ({ fullRss }) => megabytes(fullRss)),
    ...unlimited("delete"),
    ...column(moves, "RSS, at the end", "MB", ({ endRss }) => megabytes(endRss)),
    ...withDefaults("create"),
    ...withDefaults("delete"),
    ...growth("create"),
    ...growth("delete"),
    ...column(crowded, `RSS, idle, ${thousands(sizes.present)} volumes`, "MB", ({ idleRss }) => megabytes(idleRss)),
  ];
}
