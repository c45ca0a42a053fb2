import { type ControllerOptions, readControllerOptions } from "../shared/options.ts";

export interface Options extends ControllerOptions {
  /** Taken and deleted without a client-side limit. */
  readonly snapshots: number;
  /** Taken and deleted with default flags; 0 leaves that out. */
  readonly limitedSnapshots: number;
  /** Contents that there are in all at the end; 0 leaves that out. */
  readonly present: number;
  readonly idleSeconds: number;
  readonly rounds: number;
}

const flags = {
  snapshots: [1000, 1, 10_000],
  "limited-snapshots": [100, 0, 10_000],
  present: [20_000, 0, 100_000],
  "idle-seconds": [30, 1],
  rounds: [3, 1],
} as const;

/** Reads the command line. Throws on what it does not know. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { count, ...common } = readControllerOptions(args, env, flags);
  return {
    ...common,
    snapshots: count("snapshots"),
    limitedSnapshots: count("limited-snapshots"),
    present: count("present"),
    idleSeconds: count("idle-seconds"),
    rounds: count("rounds"),
  };
}
