import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** One import of a file. */
export interface Import {
  readonly file: string;
  readonly specifier: string;
  /** Path below the root for what is ours; `undefined` for npm packages and built-in modules. */
  readonly target: string | undefined;
}

const importPattern = /(?:^|\n)\s*(?:import|export)\s(?:[^"';]*?\sfrom\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** Every import of a file, static or dynamic, types included. */
export function importsOf(root: string, file: string): Import[] {
  const source = readFileSync(join(root, file), "utf8");
  return [...source.matchAll(importPattern)].map((match) => {
    const specifier = match[1] ?? match[2] ?? "";
    return { file, specifier, target: targetOf(root, file, specifier) };
  });
}

function targetOf(root: string, file: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return normalize(join(dirname(file), specifier));
  const own = /^@csi-sidecars\/([^/]+)(\/.*)?$/.exec(specifier);
  if (!own?.[1]) return undefined;
  const folder = existsSync(join(root, "components", own[1])) ? "components" : "packages";
  return `${folder}/${own[1]}${own[2] ?? "/index.ts"}`;
}

/** All TypeScript sources of the repository, generated ones included. */
export function sources(root: string): string[] {
  return ["packages", "components", "cmd", "test", "tools", "bench"]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.ts`).scanSync(root)])
    .filter((file) => !file.includes("node_modules/") && !file.includes("/dist/"))
    .sort();
}
