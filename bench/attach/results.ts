import { median, medianResult, type Result } from "../shared/result.ts";
import { budgets } from "./budgets.ts";
import type { Move, Moves } from "./measure-moves.ts";
import type { Standing } from "./measure-standing.ts";

/** What was measured of one subject, each over several processes. */
export interface Measured {
  readonly subject: string;
  readonly ours: boolean;
  readonly empty: readonly Standing[];
  readonly moves: readonly Moves[];
  readonly present: readonly Standing[];
  readonly limited: readonly Moves[];
  /** With volumes that the provisioner in the same process has made. */
  readonly beside: readonly Moves[];
}

/** How much of everything there was. */
export interface Sizes {
  readonly volumes: number;
  readonly limitedVolumes: number;
  readonly present: number;
}

type Budget = Result["budget"];

const megabytes = (bytes: number) => bytes / 1e6;
const atMost = (limit: number): Budget => ({ atMost: limit });
const atLeast = (limit: number): Budget => ({ atLeast: limit });

/** The measurements as numbers with their budgets; those that are parts of what `peer` does need one. */
export function resultsOf(measured: Measured, peer: Measured | undefined, { volumes, limitedVolumes, present }: Sizes): readonly Result[] {
  const column = <T>(samples: readonly T[], what: string, unit: string, value: (sample: T) => number, budget?: Budget): Result[] =>
    samples.length === 0 ? [] : [medianResult(what, unit, samples.map(value), measured.ours ? budget : undefined)];
  const many = volumes.toLocaleString("en-US");
  const crowd = present.toLocaleString("en-US");
  const full = present === budgets.present.count ? budgets.present : undefined;

  const moving = (
    samples: readonly Moves[],
    peers: readonly Moves[],
    label: string,
    step: "attach" | "detach",
    limited?: { readonly perSecond: number; readonly requests: number },
  ) => {
    const of = (value: (move: Move) => number) => (moves: Moves) => value(moves[step]);
    const theirs = (value: (move: Move) => number) => (peers.length > 0 ? median(peers.map(of(value))) : undefined);
    const [perSecond, cpu] = [theirs((move) => move.perSecond), theirs((move) => move.cpuMs)];
    const speed = limited ? limited.perSecond : perSecond && perSecond * budgets.relative.perSecond;
    const unit = "/op";
    return [
      ...column(
        samples,
        `${label}: volumes`,
        "/s",
        of((move) => move.perSecond),
        speed ? atLeast(speed) : undefined,
      ),
      ...(limited
        ? []
        : column(
            samples,
            `${label}: CPU`,
            "ms/op",
            of((move) => move.cpuMs),
            cpu ? atMost(cpu * budgets.relative.cpu) : undefined,
          )),
      ...column(
        samples,
        `${label}: requests`,
        unit,
        of((move) => move.requests),
        atMost(limited?.requests ?? budgets.requests[step]),
      ),
      ...column(
        samples,
        `${label}: CSI calls`,
        unit,
        of((move) => move.csiCalls),
        atMost(budgets.csiCalls),
      ),
      ...column(
        samples,
        `${label}: requests answered 4xx`,
        "",
        of((move) => [...move.refused.values()].reduce((sum, count) => sum + count, 0)),
        atMost(budgets.refused),
      ),
    ];
  };

  return [
    ...column(measured.empty, "RSS, idle, empty cluster", "MB", ({ rss }) => megabytes(rss), atMost(budgets.idleMegabytes)),
    ...column(measured.empty, "of it not backed by a file", "MB", ({ anonymous }) => megabytes(anonymous)),
    ...column(
      measured.empty,
      "CPU, idle, per minute",
      "s",
      ({ idleCpuSecondsPerMinute }) => idleCpuSecondsPerMinute,
      atMost(budgets.idleCpuSecondsPerMinute),
    ),
    ...column(measured.empty, "start to first list", "ms", ({ firstListMs }) => firstListMs, atMost(budgets.startMs)),
    ...moving(measured.moves, peer?.moves ?? [], `attach ${many}`, "attach"),
    ...column(measured.moves, `RSS, after attaching ${many}`, "MB", ({ attachedRss }) => megabytes(attachedRss)),
    ...moving(measured.moves, peer?.moves ?? [], `detach ${many}`, "detach"),
    ...column(measured.present, `RSS, ${crowd} attached volumes`, "MB", ({ rss }) => megabytes(rss), full && atMost(full.megabytes)),
    ...column(measured.present, `RSS, peak, ${crowd}`, "MB", ({ peak }) => megabytes(peak), full && atMost(full.peakMegabytes)),
    ...column(measured.present, `CPU to start and sync ${crowd}`, "s", ({ cpuSeconds }) => cpuSeconds, full && atMost(full.cpuSeconds)),
    ...moving(measured.limited, [], `default flags, attach ${limitedVolumes}`, "attach", budgets.limited.attach),
    ...moving(measured.limited, [], `default flags, detach ${limitedVolumes}`, "detach", budgets.limited.detach),
    ...moving(measured.beside, [], `default flags, attach ${limitedVolumes} made beside it`, "attach", budgets.limited.attachBeside),
  ];
}

/** What a subject asked of the API server, and what of it was refused, in words. */
export function requestsText({ subject, moves }: Measured): string {
  const [first] = moves;
  if (!first) return "";
  const list = (counts: ReadonlyMap<string, number>) => [...counts].map(([what, count]) => `${count} ${what}`).join(", ") || "none";
  const step = (name: string, { asked, refused }: Move) =>
    `${name}: ${list(asked)}${refused.size > 0 ? ` (answered 4xx: ${list(refused)})` : ""}`;
  return `${subject}: ${step("attach", first.attach)}; ${step("detach", first.detach)}`;
}
