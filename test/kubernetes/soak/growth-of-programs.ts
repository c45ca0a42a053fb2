import { type Growth, growth, median, type Noise, steadyGrowth } from "./growth.ts";
import { quarterAt, quietQuarters } from "./phases.ts";
import { mebibytes, type ProcessUsage, type Sample } from "./sample.ts";

const memory = {
  within: { share: 0.1, least: 4 << 20 },
  /** Different processes met different volumes. */
  between: { share: 0.25, least: 8 << 20 },
};
const descriptors: Noise = { share: 0.1, least: 2 };
/** The kubelet has some for each pod. */
const watches: Noise = { share: 0.1, least: 8 };
const cpuPerMinute: Noise = { share: 0.5, least: 0.5 };

/** What grew steadily within a process. Only one that lived for half a quarter of the soak tells. */
export function growthWithinProcesses(label: string, samples: readonly Sample[], hours: number): string[] {
  const all = samples.flatMap(({ seconds, processes }) =>
    processes.filter((each) => each.label === label).map((each) => ({ seconds, ...each })),
  );
  const lives = [...Map.groupBy(all, ({ pid }) => pid).values()].filter((life) => life.length >= 8 && spanOf(life) >= (hours * 3600) / 8);
  if (lives.length === 0) return [`${label}: no process lived long enough to judge its growth`];
  return lives.flatMap((life) => [
    ...describeMemory(
      `${label}, one process,`,
      steadyGrowth(
        life.map(({ rss }) => rss),
        memory.within,
      ),
    ),
    ...describeDescriptors(
      `${label}, one process,`,
      steadyGrowth(
        life.map((each) => each.descriptors),
        descriptors,
      ),
    ),
  ]);
}

/** What grew from the first quiet quarter to the second, in whichever processes. */
export function growthBetweenQuarters(label: string, samples: readonly Sample[], hours: number): string[] {
  const [early = [], late = []] = quietSamples(samples, hours);
  if (early.length < 2 || late.length < 2) return [];
  const typical = (quarter: readonly Sample[], value: (usage: ProcessUsage) => number) =>
    median(
      quarter.flatMap(({ processes }) => {
        const values = processes.filter((each) => each.label === label).map(value);
        return values.length > 0 ? [values.reduce((sum, each) => sum + each) / values.length] : [];
      }),
    );
  const between = (value: (usage: ProcessUsage) => number, noise: Noise) => growth(typical(early, value), typical(late, value), noise);
  const [before, after] = [cpuOf(label, early), cpuOf(label, late)];
  /** More volumes may cost more. */
  const busier = Math.max(1, livesPerMinute(late) / livesPerMinute(early) || 1);
  return [
    ...describeMemory(
      label,
      between(({ rss }) => rss, memory.between),
    ),
    ...describeDescriptors(
      label,
      between((each) => each.descriptors, descriptors),
    ),
    ...(growth(before * busier, after, cpuPerMinute)
      ? [`${label} used ${before.toFixed(1)} s of CPU per minute, then ${after.toFixed(1)}`]
      : []),
  ];
}

/** The watches at the API server, within each quiet quarter and from the first to the second. */
export function growthOfWatches(samples: readonly Sample[], hours: number): string[] {
  const [early = [], late = []] = quietSamples(samples, hours).map((quarter) => quarter.map((sample) => sample.watches));
  const between = early.length > 1 && late.length > 1 ? growth(median(early), median(late), watches) : undefined;
  return [steadyGrowth(early, watches), steadyGrowth(late, watches), between].flatMap((found) =>
    found ? [`${found.before} watches at the API server, then ${found.after}`] : [],
  );
}

function quietSamples(samples: readonly Sample[], hours: number): Sample[][] {
  return quietQuarters.map((quarter) => samples.filter(({ seconds }) => quarterAt(seconds, hours) === quarter));
}

/** CPU seconds per minute of all processes with a label: what each used between its first sample and its last. */
function cpuOf(label: string, samples: readonly Sample[]): number {
  const all = samples.flatMap(({ processes }) => processes.filter((each) => each.label === label));
  const used = [...Map.groupBy(all, ({ pid }) => pid).values()].map((life) => (life.at(-1)?.cpuSeconds ?? 0) - (life[0]?.cpuSeconds ?? 0));
  return (60 * used.reduce((sum, each) => sum + each, 0)) / spanOf(samples);
}

function livesPerMinute(samples: readonly Sample[]): number {
  return (60 * ((samples.at(-1)?.lives ?? 0) - (samples[0]?.lives ?? 0))) / spanOf(samples);
}

function spanOf(moments: readonly { readonly seconds: number }[]): number {
  return (moments.at(-1)?.seconds ?? 0) - (moments[0]?.seconds ?? 0);
}

function describeMemory(who: string, found: Growth | undefined): string[] {
  return found ? [`${who} grew from ${mebibytes(found.before)} to ${mebibytes(found.after)} MiB`] : [];
}

function describeDescriptors(who: string, found: Growth | undefined): string[] {
  return found ? [`${who} had ${found.before} open descriptors, then ${found.after}`] : [];
}
