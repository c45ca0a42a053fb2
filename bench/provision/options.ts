import { parseArgs } from "node:util";
import { readCount, readServerKind } from "../shared/options.ts";
import { defaultDist } from "../shared/programs.ts";
import type { ServerKind } from "../shared/server.ts";

export interface Options {
  /** Provided and deleted without a client-side limit. */
  readonly claims: number;
  /** Provided and deleted with default flags; 0 leaves that out. */
  readonly limitedClaims: number;
  /** Volumes that are there when more are asked for; 0 leaves that out. */
  readonly present: number;
  /** How many more. */
  readonly more: number;
  readonly rounds: number;
  readonly server: ServerKind;
  /** The folder with our programs. */
  readonly dist: string;
  readonly json: string | undefined;
}

const counts = {
  claims: [1000, 1, 10_000],
  "limited-claims": [100, 0, 10_000],
  present: [5000, 0, 20_000],
  more: [500, 1, 10_000],
  rounds: [1, 1, 100],
} as const;

/** Reads the command line. Throws on what it does not know. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      claims: { type: "string" },
      "limited-claims": { type: "string" },
      present: { type: "string" },
      more: { type: "string" },
      rounds: { type: "string" },
      server: { type: "string" },
      dist: { type: "string", default: defaultDist },
      json: { type: "string" },
    },
  });
  const count = (flag: keyof typeof counts) => {
    const [initial, least, most] = counts[flag];
    return readCount(flag, values[flag] ?? String(initial), least, most);
  };
  return {
    claims: count("claims"),
    limitedClaims: count("limited-claims"),
    present: count("present"),
    more: count("more"),
    rounds: count("rounds"),
    ...{ server: readServerKind(values.server, env), dist: values.dist, json: values.json },
  };
}
