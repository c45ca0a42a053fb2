import { type ControllerOptions, readControllerOptions } from "../shared/options.ts";

export interface Options extends ControllerOptions {
  /** Attached and detached without a client-side limit. */
  readonly volumes: number;
  /** Attached and detached with default flags; 0 leaves that out. */
  readonly limitedVolumes: number;
  /** Attachments that are there when a subject starts; 0 leaves that out. */
  readonly present: number;
  readonly idleSeconds: number;
  readonly rounds: number;
}

const flags = {
  volumes: [1000, 1],
  "limited-volumes": [100, 0],
  present: [20_000, 0],
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
    idleSeconds: count("idle-seconds"),
    rounds: count("rounds"),
  };
}
