import { visible } from "@csi-sidecars/base";
import { type Sample, workIn, workMetrics } from "@csi-sidecars/host/work";

export const processMetrics = {
  memory: "process_resident_memory_bytes",
  cpu: "process_cpu_seconds_total",
} as const;

/** All metrics that {@link renderTop} reads. */
export const topMetrics: ReadonlySet<string> = new Set([...workMetrics, ...Object.values(processMetrics)]);

/** What a process answered at one moment. */
export interface Glance {
  readonly url: string;
  /** The lines of `/readyz?verbose`. */
  readonly checks: readonly string[];
  readonly samples: readonly Sample[];
  /** Milliseconds, to compare two of them. */
  readonly at: number;
}

/** The view as lines. `before`: the last one, for what is counted per second. */
export function renderTop(now: Glance, before?: Glance): string {
  const { calls, queues, leases, throttled } = workIn(now.samples);
  const busy = queues.filter(
    ({ waiting, longestSeconds, failures, retries }) => waiting > 0 || longestSeconds > 0 || failures > 0 || retries > 0,
  );
  const waited = throttled.map(({ client, seconds }) => [client, `${seconds.toFixed(1)} s`]);
  return [
    `${now.url}  ${usage(now, before)}`,
    ...now.checks.map((line) => visible(line)),
    ...leases.map(({ name, leads }) => `lease ${visible(name)}: ${leads ? "this process leads" : "another process leads, or none yet"}`),
    "",
    ...section(
      ["QUEUE", "WAITING", "OLDEST", "LONGEST WORK", "RETRIES", "FAILURES"],
      busy.map((row) =>
        [row.name, row.waiting, seconds(row.oldestSeconds), seconds(row.longestSeconds), row.retries, row.failures].map(String),
      ),
      `${queues.length} queues, all empty, and nothing has failed`,
    ),
    "",
    ...section(
      ["CALL TO THE DRIVER", "IN FLIGHT", "LONGEST"],
      calls.map(({ method, count, longestSeconds }) => [method, String(count), `${longestSeconds.toFixed(1)} s`]),
      "no call to the driver is in flight",
    ),
    ...(waited.length > 0 ? ["", ...section(["WAITED FOR THE REQUEST LIMIT", "TOGETHER"], waited, "")] : []),
    "",
  ].join("\n");
}

function usage(now: Glance, before: Glance | undefined): string {
  const value = ({ samples }: Glance, metric: string) => samples.find((sample) => sample.metric === metric)?.value;
  const memory = value(now, processMetrics.memory);
  const [cpu, cpuBefore] = [value(now, processMetrics.cpu), before && value(before, processMetrics.cpu)];
  const parts = [
    ...(memory === undefined ? [] : [`memory ${(memory / 1e6).toFixed(0)} MB`]),
    ...(before && cpu !== undefined && cpuBefore !== undefined && now.at > before.at
      ? [`CPU ${((100_000 * (cpu - cpuBefore)) / (now.at - before.at)).toFixed(1)} %`]
      : []),
  ];
  return parts.join(", ");
}

const seconds = (value: number) => (value === 0 ? "" : `${value.toFixed(1)} s`);

function section(head: readonly string[], rows: readonly (readonly string[])[], empty: string): readonly string[] {
  if (rows.length === 0) return [empty];
  const cells = [head, ...rows.map((row) => row.map((cell) => visible(cell)))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
