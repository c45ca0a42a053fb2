import { existsSync } from "node:fs";
import { join } from "node:path";

/** The folder that `npm run build` writes our programs to. */
export const defaultDist = join(import.meta.dirname, "../../dist");

/** The path of one of our programs; says how to build it where it is missing. */
export function ourProgram(dist: string, name: string): string {
  const path = join(dist, name);
  if (!existsSync(path)) throw new Error(`${path} does not exist: run \`npm run build\` first`);
  return path;
}
