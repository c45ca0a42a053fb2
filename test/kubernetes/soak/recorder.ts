import type { Client } from "@csi-sidecars/kube";
import { objectCounts } from "./left-over.ts";
import type { NodeProcess } from "./node-processes.ts";
import { mebibytes, openWatches, type Sample, usageOf } from "./sample.ts";
import type { SoakRecord } from "./verdict.ts";

/** Counts what happens during a soak, and samples what the programs take. */
export class Recorder {
  readonly #started = performance.now();
  readonly #samples: Sample[] = [];
  readonly #lives = new Map<string, number>();
  readonly #kills = new Map<string, number>();
  readonly #failedDisturbances: string[] = [];
  readonly #failures: string[] = [];

  readonly #hours: number;

  constructor(hours: number) {
    this.#hours = hours;
  }

  /** Since the start of the soak. */
  get seconds(): number {
    return Math.round((performance.now() - this.#started) / 1000);
  }

  lived(turn: string): void {
    this.#lives.set(turn, (this.#lives.get(turn) ?? 0) + 1);
  }

  killed(label: string): void {
    this.#kills.set(label, (this.#kills.get(label) ?? 0) + 1);
  }

  notDisturbed(what: string): void {
    console.log(`not disturbed: ${what}`);
    this.#failedDisturbances.push(what);
  }

  failed(what: string): void {
    console.log(`failed: ${what}`);
    this.#failures.push(what);
  }

  /** Throws while the API server, whose metrics these are, is away. */
  async sample(client: Client, metrics: string, processes: readonly NodeProcess[]): Promise<Sample> {
    const sample = {
      seconds: this.seconds,
      processes: processes.flatMap(usageOf),
      watches: openWatches(metrics),
      objects: await objectCounts(client),
      lives: total(this.#lives),
      kills: total(this.#kills),
    };
    this.#samples.push(sample);
    return sample;
  }

  record(leaked?: readonly string[]): SoakRecord {
    return {
      hours: this.#hours,
      samples: this.#samples,
      lives: Object.fromEntries(this.#lives),
      kills: Object.fromEntries(this.#kills),
      failedDisturbances: this.#failedDisturbances,
      failures: this.#failures,
      leaked,
    };
  }
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, each) => sum + each, 0);
}

export function describeSample({ seconds, processes, watches, objects, lives, kills }: Sample): string {
  const programs = processes.map(
    ({ label, pid, rss, cpuSeconds, descriptors }) =>
      `${label} (${pid}): ${mebibytes(rss)} MiB, ${Math.round(cpuSeconds)} s CPU, ${descriptors} descriptors`,
  );
  const counts = Object.entries(objects).map(([kind, count]) => `${kind} ${count}`);
  return [`${Math.round(seconds / 60)} min: ${lives} lives, ${kills} kills, ${watches} watches`, ...programs, counts.join(", ")].join(
    "\n  ",
  );
}
