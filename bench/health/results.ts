import { pageSize } from "../shared/fleet/fleet.ts";
import { emptyResults, presentResults } from "../shared/idle-results.ts";
import type { IdleCost } from "../shared/measure-idle.ts";
import { atLeast, atMost, columnOf, median, megabytes, type Result, thousands } from "../shared/result.ts";
import { type ListCost, type ReportCost, recoverySeconds } from "./measure-lists.ts";
import type { SingleCost } from "./measure-single.ts";
import type { WindowCost } from "./window.ts";

/** The numbers to reach. */
const budgets = {
  /** The least part of the volumes that are asked for within an interval, and the calls per volume. */
  single: { part: 0.95, callsPerVolume: 1.1, atOnce: 10 },
  /** Memory after many lists, divided by memory after the second. */
  growth: 1.05,
  /** CPU per list as a fraction of upstream's in the same run. */
  relativeCpu: 1,
  /** All components of a driver in one process. */
  everything: { idleMegabytes: 65, present: { count: 20_000, megabytes: 130 } },
} as const;

/** What was measured of one health monitor, each over several processes. */
export interface Measured {
  readonly subject: string;
  readonly ours: boolean;
  readonly empty: readonly IdleCost[];
  readonly present: readonly IdleCost[];
  readonly lists: readonly ListCost[];
  readonly reports: readonly ReportCost[];
  readonly single: readonly SingleCost[];
  readonly storm: readonly WindowCost[];
}

/** What was measured of a process with all components. */
export interface MeasuredEverything {
  readonly subject: string;
  readonly empty: readonly IdleCost[];
  readonly present: readonly IdleCost[];
  readonly lists: readonly ListCost[];
}

/** How large each measurement was. */
export interface Sizes {
  readonly present: number;
  readonly lists: number;
  readonly abnormal: number;
  readonly intervalSeconds: number;
  readonly nodes: number;
  readonly claims: number;
}

/** The rows of a health monitor. Budgets relative to `peer` are left out without one. */
export function resultsOf(measured: Measured, peer: Measured | undefined, sizes: Sizes): readonly Result[] {
  const column = columnOf(measured.ours);
  return [
    ...emptyResults(column, measured.empty),
    ...presentResults(column, measured.present, sizes.present, "volumes"),
    ...listResults(measured.ours, measured.lists, peer?.lists ?? [], sizes),
    ...reportResults(measured, sizes),
    ...singleResults(measured, sizes),
    ...stormResults(measured, sizes),
  ];
}

/** The rows of a process with all components. */
export function everythingResults({ empty, present, lists }: MeasuredEverything, sizes: Sizes): readonly Result[] {
  const column = columnOf(true);
  const { idleMegabytes, present: full } = budgets.everything;
  const rss = ({ rss: bytes }: IdleCost) => megabytes(bytes);
  const budget = sizes.present === full.count ? atMost(full.megabytes) : undefined;
  const last = `all components: RSS, after ${sizes.lists} lists of ${thousands(sizes.present)}`;
  return [
    ...column(empty, "all components: RSS, idle, empty cluster", "MB", rss, atMost(idleMegabytes)),
    ...column(present, `all components: RSS, ${thousands(sizes.present)} volumes`, "MB", rss, budget),
    ...column(present, `all components: RSS, peak, ${thousands(sizes.present)} volumes`, "MB", ({ peak }) => megabytes(peak)),
    ...column(lists, last, "MB", ({ lateBytes }) => megabytes(lateBytes), budget),
  ];
}

function listResults(ours: boolean, costs: readonly ListCost[], peer: readonly ListCost[], sizes: Sizes): readonly Result[] {
  const column = columnOf(ours);
  const row = (what: string, unit: string, value: (cost: ListCost) => number, limit?: number) =>
    column(costs, `list of ${thousands(sizes.present)}: ${what}`, unit, value, limit === undefined ? undefined : atMost(limit));
  const early = median(costs.map(({ earlyBytes }) => megabytes(earlyBytes)));
  const peerCpu = peer.length === 0 ? undefined : median(peer.map(({ cpuMsPerList }) => cpuMsPerList)) * budgets.relativeCpu;
  return [
    ...row("start to the end of the first", "ms", ({ firstListMs }) => firstListMs),
    ...row("calls", "", ({ callsPerList }) => callsPerList, Math.max(1, Math.ceil(sizes.present / pageSize))),
    ...row("requests", "", ({ requestsPerList }) => requestsPerList, 0),
    ...row("CPU", "ms", ({ cpuMsPerList }) => cpuMsPerList, peerCpu),
    ...row("RSS, after 2", "MB", ({ earlyBytes }) => megabytes(earlyBytes)),
    ...row(`RSS, after ${sizes.lists}`, "MB", ({ lateBytes }) => megabytes(lateBytes), early * budgets.growth),
    ...row("RSS, peak", "MB", ({ peakBytes }) => megabytes(peakBytes)),
  ];
}

function reportResults({ ours, reports }: Measured, { abnormal }: Sizes): readonly Result[] {
  const column = columnOf(ours);
  const rows = (label: string, window: keyof ReportCost) => [
    ...column(reports, `${label}: events`, "", (cost) => cost[window].events, atMost(abnormal)),
    ...column(reports, `${label}: other requests`, "", (cost) => cost[window].requests, atMost(0)),
    ...column(reports, `${label}: until the last event`, "s", (cost) => cost[window].lastEventMs / 1_000),
  ];
  return [...rows(`${abnormal} become abnormal`, "abnormal"), ...rows(`${abnormal} are well again for ${recoverySeconds} s`, "recovery")];
}

function singleResults({ ours, single }: Measured, { present, intervalSeconds }: Sizes): readonly Result[] {
  const column = columnOf(ours);
  const { part, callsPerVolume, atOnce } = budgets.single;
  const row = (what: string, unit: string, value: (cost: SingleCost) => number, budget?: Result["budget"]) =>
    column(single, `one by one, ${thousands(present)}, ${intervalSeconds} s: ${what}`, unit, value, budget);
  return [
    ...row("volumes", "", ({ volumes }) => volumes, atLeast(present * part)),
    ...row("calls", "", ({ calls }) => calls, atMost(present * callsPerVolume)),
    ...row("calls at the same time", "", ({ mostAtOnce }) => mostAtOnce, atMost(atOnce)),
    ...row("requests", "", ({ requests }) => requests, atMost(0)),
    ...row("CPU", "ms", ({ cpuMs }) => cpuMs),
    ...row("RSS", "MB", ({ bytes }) => megabytes(bytes)),
  ];
}

function stormResults({ ours, storm }: Measured, { nodes, claims }: Sizes): readonly Result[] {
  const column = columnOf(ours);
  const row = (what: string, unit: string, value: (cost: WindowCost) => number, budget?: Result["budget"]) =>
    column(storm, `${nodes} nodes with ${thousands(claims)} claims deleted: ${what}`, unit, value, budget);
  return [
    ...row("events", "", ({ events }) => events, atMost(claims)),
    ...row("other requests", "", ({ requests }) => requests, atMost(0)),
    ...row("answered 4xx", "", ({ refused }) => refused, atMost(0)),
    ...row("until the last event", "s", ({ lastEventMs }) => lastEventMs / 1_000),
    ...row("CPU", "ms", ({ cpuMs }) => cpuMs),
  ];
}
