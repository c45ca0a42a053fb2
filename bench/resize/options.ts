import { type ControllerOptions, readControllerOptions } from "../shared/options.ts";

export interface Options extends ControllerOptions {
  /** Grown and modified without a client-side limit. */
  readonly volumes: number;
  /** Grown and modified with default flags; 0 leaves that out. */
  readonly limitedVolumes: number;
  /** Volumes that there are in all at the end; as many as are grown leaves that out. */
  readonly present: number;
  /** Pods that run beside them. */
  readonly pods: number;
  readonly idleSeconds: number;
  readonly rounds: number;
}

const flags = {
  volumes: [1000, 1, 10_000],
  "limited-volumes": [100, 0, 10_000],
  present: [20_000, 0, 100_000],
  pods: [10_000, 0, 100_000],
  "idle-seconds": [30, 1],
  rounds: [3, 1],
} as const;

/** Reads the command line. Throws on what it does not know. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { count, ...common } = readControllerOptions(args, env, flags);
  return {
    ...common,
    volumes: count("volumes"),
    limitedVolumes: count("limited-volumes"),
    present: count("present"),
    pods: count("pods"),
    idleSeconds: count("idle-seconds"),
    rounds: count("rounds"),
  };
}
