import type { Sample } from "./sample.ts";

export interface SoakRecord {
  readonly samples: readonly Sample[];
  readonly lives: Readonly<Record<string, number>>;
  readonly kills: Readonly<Record<string, number>>;
  /** Steps that did not end, and data that was not what had been written. */
  readonly failures: readonly string[];
  /** What was there after everything had been deleted. */
  readonly leaked: readonly string[];
}

/** How much a program may grow between the second and the last quarter of a soak: the first has the caches of a program that has just started. */
const growthLimit = 1.5;
/** Below that, growth is noise: a process that was killed, or that collects its garbage, differs as much. */
const noise = 32 << 20;

/** What speaks against the programs; nothing if the soak went well. */
export function findings({ samples, lives, failures, leaked }: SoakRecord): string[] {
  const count = Object.values(lives).reduce((sum, each) => sum + each, 0);
  return [
    ...(count === 0 ? ["no volume lived to its end"] : []),
    ...failures,
    ...leaked.map((object) => `leaked: ${object}`),
    ...labelsOf(samples).flatMap((label) => growthOf(label, samples)),
  ];
}

export function labelsOf(samples: readonly Sample[]): string[] {
  return [...new Set(samples.flatMap(({ usage }) => Object.keys(usage)))].sort();
}

function growthOf(label: string, samples: readonly Sample[]): string[] {
  const perProcess = samples.flatMap(({ usage }) => {
    const { rss, descriptors, processes } = usage[label] ?? { rss: 0, descriptors: 0, processes: 0 };
    return processes > 0 ? [{ rss: rss / processes, descriptors: descriptors / processes }] : [];
  });
  const quarter = Math.floor(perProcess.length / 4);
  if (quarter < 2) return [];
  const [early, late] = [perProcess.slice(quarter, 2 * quarter), perProcess.slice(-quarter)];
  const [rssBefore, rss] = [median(early.map((each) => each.rss)), median(late.map((each) => each.rss))];
  const [openBefore, open] = [median(early.map((each) => each.descriptors)), median(late.map((each) => each.descriptors))];
  return [
    ...(rss > rssBefore * growthLimit && rss - rssBefore > noise
      ? [`${label} grew from ${mebibytes(rssBefore)} to ${mebibytes(rss)} MiB`]
      : []),
    ...(open > openBefore * growthLimit && open - openBefore > 20 ? [`${label} had ${openBefore} open descriptors, then ${open}`] : []),
  ];
}

export function mebibytes(bytes: number): number {
  return Math.round(bytes / (1 << 20));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
