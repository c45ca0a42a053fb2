import { parseArgs } from "node:util";
import { countOf } from "../shared/read-options.ts";

export interface Options {
  readonly volumes: number;
  /** How many are created one after the other, with none and with all of them there. */
  readonly sample: number;
  readonly snapshots: number;
  /** How often it is started again, after each kind of end. */
  readonly starts: number;
  readonly json: string | undefined;
}

const counts = { volumes: 10_000, sample: 500, snapshots: 1000, starts: 3 } as const;

/** Reads the command line. Throws on what it does not know. */
export function readOptions(args: readonly string[]): Options {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ args: [...args], options: { volumes: text, sample: text, snapshots: text, starts: text, json: text } });
  const count = (flag: keyof typeof counts) => countOf(flag, values[flag] ?? String(counts[flag]), 1);
  const options = { volumes: count("volumes"), sample: count("sample"), snapshots: count("snapshots"), starts: count("starts") };
  return { ...options, json: values.json };
}
