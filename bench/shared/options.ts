import { parseArgs } from "node:util";
import { type CamelCase, camelCase } from "../../packages/host/flags/flag.ts";
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
interface CommonOptions {
  readonly server: ServerKind;
  /** The folder with our programs. */
  readonly dist: string;
  readonly json: string | undefined;
}

/** The numbers by the names of their flags in camel case. */
type Counts<Flags> = { readonly [Flag in keyof Flags & string as CamelCase<Flag>]: number };

/** Reads the command line of a controller's benchmark. Throws on what it does not know. */
export function readControllerOptions<const Flags extends Readonly<Record<string, CountFlag>>>(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  flags: Flags,
): CommonOptions & Counts<Flags> {
  const text = { type: "string" } as const;
  const numbers = Object.fromEntries(Object.keys(flags).map((flag) => [flag, text]));
  const { values } = parseArgs({ args: [...args], options: { ...numbers, server: text, dist: text, json: text } });
  const given = new Map<string, string | undefined>(Object.entries(values));
  const counts = Object.entries(flags).map(([flag, [initial, least, most]]) => [
    camelCase(flag),
    readCount(flag, given.get(flag) ?? String(initial), least, most),
  ]);
  return {
    ...(Object.fromEntries(counts) as Counts<Flags>),
    server: readServerKind(values.server, env),
    dist: values.dist ?? defaultDist,
    json: values.json,
  };
}
