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
