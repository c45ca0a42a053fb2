import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** The folder that `npm run build` writes our programs to. */
export const defaultDist = join(import.meta.dirname, "../../dist");

/** The path of one of our programs. Throws how to build it where it is missing. */
export function ourProgram(dist: string, name: string): string {
  const path = join(dist, name);
  if (!existsSync(path)) throw new Error(`${path} does not exist: run \`npm run build\` first`);
  return path;
}

/** The upstream programs of a benchmark: those found, and those missing. */
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

/** Which peers are missing from a run, and how to add them. */
export function missingText({ missing }: Peers): string | undefined {
  if (missing.length === 0) return undefined;
  return `Not compared with upstream's ${missing.join(", ")}: set PEERS to a folder that has them.`;
}

/** The flags that shipped programs are built with. */
const shippedFlags: readonly string[] = [
  "--compile",
  "--minify",
  "--bytecode",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
];

/** Builds one program as it would ship; `extra` are further flags of `bun build`. */
export async function compile(entry: string, outfile: string, extra: readonly string[] = []): Promise<string> {
  const child = spawn(process.execPath, ["build", ...shippedFlags, ...extra, entry, "--outfile", outfile], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  if (code !== 0) throw new Error(`bun build ${entry} failed:\n${complaint}`);
  return outfile;
}
