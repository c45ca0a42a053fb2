import { type ControllerOptions, readControllerOptions } from "../shared/options.ts";

export interface Options extends ControllerOptions {
  /** Provided and deleted without a client-side limit. */
  readonly claims: number;
  /** Provided and deleted with default flags; 0 leaves that out. */
  readonly limitedClaims: number;
  /** Volumes that are there when more are asked for; 0 leaves that out. */
  readonly present: number;
  /** How many more. */
  readonly more: number;
  readonly rounds: number;
}

const flags = {
  claims: [1000, 1, 10_000],
  "limited-claims": [100, 0, 10_000],
  present: [5000, 0, 20_000],
  more: [500, 1, 10_000],
  rounds: [1, 1, 100],
} as const;

/** Reads the command line. Throws on what it does not know. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { count, ...common } = readControllerOptions(args, env, flags);
  return {
    ...common,
    claims: count("claims"),
    limitedClaims: count("limited-claims"),
    present: count("present"),
    more: count("more"),
    rounds: count("rounds"),
  };
}
