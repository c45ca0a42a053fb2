import { parseArgs } from "node:util";
import { defaultDist } from "./programs.ts";
import { defaultServerKind, type ServerKind } from "./server.ts";

/** A whole number in a range. Throws what the flag expects otherwise. */
export function readCount(flag: string, given: string | undefined, least: number, most = Number.POSITIVE_INFINITY): number {
  const number = Number(given);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Error(`--${flag}: expected a number from ${least}${Number.isFinite(most) ? ` to ${most}` : ""}, got "${given}"`);
}

/** Which API server a benchmark runs against. */
export function readServerKind(given: string | undefined, env: NodeJS.ProcessEnv): ServerKind {
  const server = given ?? defaultServerKind(env);
  if (server !== "real" && server !== "embedded") throw new Error(`--server: expected "real" or "embedded", got "${server}"`);
  return server;
}

/** A flag that takes a whole number: what it is unless given, the least and the most that it may be. */
export type CountFlag = readonly [initial: number, least: number, most?: number];

/** What every benchmark of a controller takes besides its numbers. */
export interface ControllerOptions {
  readonly server: ServerKind;
  /** The folder with our programs. */
  readonly dist: string;
  readonly json: string | undefined;
}

/** Reads the command line of a controller's benchmark. Throws on what it does not know. */
export function readControllerOptions<Flag extends string>(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  flags: Readonly<Record<Flag, CountFlag>>,
): ControllerOptions & { count(flag: Flag): number } {
  const text = { type: "string" } as const;
  const numbers = Object.fromEntries(Object.keys(flags).map((flag) => [flag, text]));
  const { values } = parseArgs({ args: [...args], options: { ...numbers, server: text, dist: text, json: text } });
  return {
    server: readServerKind(values.server, env),
    dist: values.dist ?? defaultDist,
    json: values.json,
    count(flag) {
      const [initial, least, most] = flags[flag];
      const given: Readonly<Record<string, string | undefined>> = values;
      return readCount(flag, given[flag] ?? String(initial), least, most);
    },
  };
}
