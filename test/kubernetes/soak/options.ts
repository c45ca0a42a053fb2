import { resolve } from "node:path";
import { parseArgs } from "node:util";

export const usage = `npm run soak -- --hours <number> [flags]: volumes that come and go on a real kubelet, while programs are killed. Needs root.

  --hours <number>     how long, fractions too; programs are killed in the first and the third quarter
  --parallel <number>  volumes at a time, 4 unless given
  --seed <number>      of the random events
  --out <folder>       the record, the plot, the verdict and the logs, dist/soak unless given
`;

export interface SoakOptions {
  readonly hours: number;
  readonly parallel: number;
  readonly seed: number;
  readonly out: string;
}

/** Reads the command line. Throws what is wrong with it. */
export function readSoakOptions(args: readonly string[], now: number): SoakOptions {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ args: [...args], options: { hours: text, parallel: text, seed: text, out: text } });
  if (values.hours === undefined) throw new Error("--hours: say for how long");
  return {
    hours: positive("hours", values.hours),
    parallel: whole("parallel", values.parallel ?? "4"),
    seed: values.seed === undefined ? now % 1e9 : seed(values.seed),
    out: resolve(values.out ?? "dist/soak"),
  };
}

function positive(flag: string, given: string): number {
  const number = Number(given);
  if (!(number > 0 && number < 1000)) throw new Error(`--${flag}: expected a number above 0 and below 1000, got "${given}"`);
  return number;
}

function whole(flag: string, given: string): number {
  const number = positive(flag, given);
  if (!Number.isInteger(number)) throw new Error(`--${flag}: expected a whole number, got "${given}"`);
  return number;
}

function seed(given: string): number {
  const number = Number(given);
  if (!Number.isInteger(number) || number < 0) throw new Error(`--seed: expected a whole number, got "${given}"`);
  return number;
}
