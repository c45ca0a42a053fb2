import { growthBetweenQuarters, growthOfWatches, growthWithinProcesses } from "./growth-of-programs.ts";
import { labels } from "./node-processes.ts";
import type { Sample } from "./sample.ts";

export interface SoakRecord {
  /** That were asked for. */
  readonly hours: number;
  readonly samples: readonly Sample[];
  readonly lives: Readonly<Record<string, number>>;
  readonly kills: Readonly<Record<string, number>>;
  /** Kills and restarts that did not succeed: they speak against nobody. */
  readonly failedDisturbances: readonly string[];
  /** Steps that did not end, and data that was not what had been written. */
  readonly failures: readonly string[];
  /** What was there after everything had been deleted; not known before the end. */
  readonly leaked: readonly string[] | undefined;
}

/** What speaks against the programs; nothing if the soak went well. */
export function findings({ hours, samples, lives, kills, failures, leaked }: SoakRecord): string[] {
  return [
    ...(total(lives) === 0 ? ["no volume lived to its end"] : []),
    ...(total(kills) === 0 ? ["nothing was killed"] : []),
    ...failures,
    ...(leaked ?? []).map((object) => `leaked: ${object}`),
    ...labels.flatMap((label) => [...growthWithinProcesses(label, samples, hours), ...growthBetweenQuarters(label, samples, hours)]),
    ...growthOfWatches(samples, hours),
  ];
}

/** For readers; also of a soak that has not come to its end. */
export function describeVerdict(record: SoakRecord): string {
  const minutes = Math.round((record.samples.at(-1)?.seconds ?? 0) / 60);
  const against = findings(record);
  return [
    `lives: ${JSON.stringify(record.lives)}; kills: ${JSON.stringify(record.kills)}`,
    ...(record.leaked ? [] : [`not at its end: ${minutes} of ${60 * record.hours} minutes; what is left over is not known`]),
    ...(against.length === 0
      ? ["verdict: nothing lost, nothing leaked, no growth"]
      : ["verdict: failed", ...against.map((each) => `  ${each}`)]),
  ].join("\n");
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}
