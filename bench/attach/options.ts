import { parseArgs } from "node:util";
import { readCount, readServerKind } from "../shared/options.ts";
import { defaultDist } from "../shared/programs.ts";
import type { ServerKind } from "../shared/server.ts";

export interface Options {
  /** Attached and detached without a client-side limit. */
  readonly volumes: number;
  /** Attached and detached with default flags; 0 leaves that out. */
  readonly limitedVolumes: number;
  /** Attachments that are there when a subject starts; 0 leaves that out. */
  readonly present: number;
  readonly idleSeconds: number;
  readonly rounds: number;
  readonly server: ServerKind;
  /** The folder with our programs. */
  readonly dist: string;
  readonly json: string | undefined;
}

/** Reads the command line. Throws on what it does not know. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      volumes: { type: "string", default: "1000" },
      "limited-volumes": { type: "string", default: "100" },
      present: { type: "string", default: "20000" },
      "idle-seconds": { type: "string", default: "30" },
      rounds: { type: "string", default: "3" },
      server: { type: "string" },
      dist: { type: "string", default: defaultDist },
      json: { type: "string" },
    },
  });
  const count = (flag: "volumes" | "limited-volumes" | "present" | "idle-seconds" | "rounds", least: number) =>
    readCount(flag, values[flag], least);
  return {
    volumes: count("volumes", 1),
    limitedVolumes: count("limited-volumes", 0),
    present: count("present", 0),
    idleSeconds: count("idle-seconds", 1),
    rounds: count("rounds", 1),
    server: readServerKind(values.server, env),
    dist: values.dist,
    json: values.json,
  };
}
