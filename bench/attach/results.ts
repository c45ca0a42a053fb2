import { atMost, columnOf, megabytes, thousands } from "../shared/column.ts";
import { moveResults, relativeTo } from "../shared/move-results.ts";
import type { Result } from "../shared/result.ts";
import { budgets } from "./budgets.ts";
import type { Moves } from "./measure-moves.ts";
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

type StepName = "attach" | "detach";

/** The measurements as numbers with their budgets; those that are parts of what `peer` does need one. */
export function resultsOf(measured: Measured, peer: Measured | undefined, { volumes, limitedVolumes, present }: Sizes): readonly Result[] {
  const column = columnOf(measured.ours);
  const { csiCalls, refused } = budgets;
  const unlimited = (name: StepName) => {
    const of = (samples: readonly Moves[]) => samples.map((sample) => sample[name]);
    const relative = relativeTo(of(peer?.moves ?? []), budgets.relative);
    const budget = { ...relative, requests: budgets.requests[name], csiCalls, refused };
    return moveResults(column, of(measured.moves), `${name} ${thousands(volumes)}`, budget);
  };
  const limited = (samples: readonly Moves[], label: string, name: StepName, limit: { perSecond: number; requests: number }) =>
    moveResults(
      column,
      samples.map((sample) => sample[name]),
      `default flags, ${name} ${limitedVolumes}${label}`,
      { ...limit, cpuMs: undefined, csiCalls, refused },
    );
  const crowd = thousands(present);
  const full = present === budgets.present.count ? budgets.present : undefined;
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
    ...unlimited("attach"),
    ...column(measured.moves, `RSS, after attaching ${thousands(volumes)}`, "MB", ({ attachedRss }) => megabytes(attachedRss)),
    ...unlimited("detach"),
    ...column(measured.present, `RSS, ${crowd} attached volumes`, "MB", ({ rss }) => megabytes(rss), full && atMost(full.megabytes)),
    ...column(measured.present, `RSS, peak, ${crowd}`, "MB", ({ peak }) => megabytes(peak), full && atMost(full.peakMegabytes)),
    ...column(measured.present, `CPU to start and sync ${crowd}`, "s", ({ cpuSeconds }) => cpuSeconds, full && atMost(full.cpuSeconds)),
    ...limited(measured.limited, "", "attach", budgets.limited.attach),
    ...limited(measured.limited, "", "detach", budgets.limited.detach),
    ...limited(measured.beside, " made beside it", "attach", budgets.limited.attachBeside),
  ];
}
