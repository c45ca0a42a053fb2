import { existsSync } from "node:fs";
import { join } from "node:path";

/** The peers of a benchmark that are there to be measured, and those that are not. */
export interface Peers {
  readonly found: ReadonlyMap<string, string>;
  readonly missing: readonly string[];
}

/** Looks for upstream's programs in the folder that `PEERS` names. Without it, all of them are missing. */
export function findPeers(names: readonly string[], env: NodeJS.ProcessEnv): Peers {
  const folder = env.PEERS ?? "";
  const found = new Map(names.map((name) => [name, join(folder, name)] as const).filter(([, path]) => folder !== "" && existsSync(path)));
  return { found, missing: names.filter((name) => !found.has(name)) };
}

/** Says which peers a run was without, and how to have them. */
export function missingText({ missing }: Peers): string | undefined {
  if (missing.length === 0) return undefined;
  return `Not compared with upstream's ${missing.join(", ")}: set PEERS to a folder that has them.`;
}
