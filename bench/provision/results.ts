import { median, medianResult, type Result } from "../shared/result.ts";
import { budgets } from "./budgets.ts";
import type { Move, Moves } from "./measure-moves.ts";

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

type Budget = Result["budget"];
type StepName = "create" | "delete";

const megabytes = (bytes: number) => bytes / 1e6;
const atMost = (limit: number): Budget => ({ atMost: limit });
const atLeast = (limit: number): Budget => ({ atLeast: limit });
const thousands = (count: number) => count.toLocaleString("en-US");
const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** The measurements as numbers with their budgets; those that are parts of what `peer` does need one. */
export function resultsOf(measured: Measured, peer: Measured | undefined, sizes: Sizes): readonly Result[] {
  const { moves, limited, alone, crowded } = measured;
  const column = <T>(samples: readonly T[], what: string, unit: string, value: (sample: T) => number, budget?: Budget): Result[] =>
    samples.length === 0 ? [] : [medianResult(what, unit, samples.map(value), measured.ours ? budget : undefined)];

  const step = (samples: readonly Moves[], label: string, name: StepName, speed: number | undefined, cpu: number | undefined) => {
    const row = (what: string, unit: string, value: (move: Move) => number, budget?: Budget) =>
      column(samples, `${label}: ${what}`, unit, (sample) => value(sample[name]), budget);
    return [
      ...row("volumes", "/s", ({ perSecond }) => perSecond, speed ? atLeast(speed) : undefined),
      ...row("CPU", "ms/op", ({ cpuMs }) => cpuMs, cpu ? atMost(cpu) : undefined),
      ...row("requests", "/op", ({ requests }) => requests, atMost(budgets.requests[name])),
      ...row("requests with events", "/op", ({ requests, events }) => requests + events),
      ...row("requests answered 4xx", "", ({ refused }) => total(refused), atMost(budgets.refused)),
      ...row("CSI calls", "/op", ({ csiCalls }) => csiCalls, atMost(budgets.csiCalls)),
    ];
  };
  const unlimited = (name: StepName) => {
    const theirs = (value: (move: Move) => number, part: number) =>
      peer && peer.moves.length > 0 ? median(peer.moves.map((sample) => value(sample[name]))) * part : undefined;
    const speed = theirs(({ perSecond }) => perSecond, budgets.relative.perSecond);
    return step(
      moves,
      `${name} ${thousands(sizes.claims)}`,
      name,
      speed,
      theirs(({ cpuMs }) => cpuMs, budgets.relative.cpu),
    );
  };
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
    ...step(limited, `default flags, create ${sizes.limitedClaims}`, "create", budgets.limitedPerSecond.create, undefined),
    ...step(limited, `default flags, delete ${sizes.limitedClaims}`, "delete", budgets.limitedPerSecond.delete, undefined),
    ...growth("create"),
    ...growth("delete"),
    ...column(crowded, `RSS, idle, ${thousands(sizes.present)} volumes`, "MB", ({ idleRss }) => megabytes(idleRss)),
  ];
}

/** What a subject asked of the API server, and what of it was refused, in words. */
export function requestsText({ subject, moves, limited }: Measured): string {
  const list = (counts: ReadonlyMap<string, number>) => [...counts].map(([what, count]) => `${count} ${what}`).join(", ") || "none";
  const text = (name: string, { asked, refused }: Move) =>
    `  ${name}: ${list(asked)}${refused.size > 0 ? `; answered 4xx: ${list(refused)}` : ""}`;
  const both = (label: string, [first]: readonly Moves[]) =>
    first ? [text(`create${label}`, first.create), text(`delete${label}`, first.delete)] : [];
  return [subject, ...both("", moves), ...both(" with default flags", limited)].join("\n");
}
