import type { Client } from "@csi-sidecars/kube";
import { objectCounts } from "./left-over.ts";
import type { NodeProcess } from "./node-processes.ts";
import { openWatches, type Sample, usageByLabel } from "./sample.ts";
import { mebibytes, type SoakRecord } from "./verdict.ts";

/** Counts what happens during a soak, and samples what the programs take. */
export class Recorder {
  readonly #started = performance.now();
  readonly #samples: Sample[] = [];
  readonly #lives = new Map<string, number>();
  readonly #kills = new Map<string, number>();
  readonly #failures: string[] = [];

  lived(turn: string): void {
    this.#lives.set(turn, (this.#lives.get(turn) ?? 0) + 1);
  }

  killed(label: string): void {
    this.#kills.set(label, (this.#kills.get(label) ?? 0) + 1);
  }

  failed(what: string): void {
    console.log(`failed: ${what}`);
    this.#failures.push(what);
  }

  /** Throws while the API server, whose metrics these are, is away. */
  async sample(client: Client, metrics: string, processes: readonly NodeProcess[]): Promise<Sample> {
    const sample = {
      seconds: Math.round((performance.now() - this.#started) / 1000),
      usage: usageByLabel(processes),
      watches: openWatches(metrics),
      objects: await objectCounts(client),
      lives: total(this.#lives),
      kills: total(this.#kills),
    };
    this.#samples.push(sample);
    return sample;
  }

  record(leaked: readonly string[]): SoakRecord {
    return {
      samples: this.#samples,
      lives: Object.fromEntries(this.#lives),
      kills: Object.fromEntries(this.#kills),
      failures: this.#failures,
      leaked,
    };
  }
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, each) => sum + each, 0);
}

export function describeSample({ seconds, usage, watches, objects, lives, kills }: Sample): string {
  const programs = Object.entries(usage).map(
    ([label, { rss, cpuSeconds, descriptors, processes }]) =>
      `${label} ×${processes}: ${mebibytes(rss)} MiB, ${Math.round(cpuSeconds)} s CPU, ${descriptors} descriptors`,
  );
  const counts = Object.entries(objects).map(([kind, count]) => `${kind} ${count}`);
  return [`${Math.round(seconds / 60)} min: ${lives} lives, ${kills} kills, ${watches} watches`, ...programs, counts.join(", ")].join(
    "\n  ",
  );
}
