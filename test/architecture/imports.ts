import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** One import of a file. */
export interface Import {
  readonly file: string;
  readonly specifier: string;
  /** Path below the root for what is ours; `undefined` for npm packages and built-in modules. */
  readonly target: string | undefined;
  /** `import type` and `export type`: erased, nothing is loaded at run time. */
  readonly typeOnly: boolean;
}

const importPattern = /(?:^|\n)\s*(?:import|export)\s(type\s)?(?:[^"';]*?\sfrom\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** Every import of a file, static or dynamic, types included. */
export function importsOf(root: string, file: string): Import[] {
  const source = readFileSync(join(root, file), "utf8");
  return [...source.matchAll(importPattern)].map((match) => {
    const specifier = match[2] ?? match[3] ?? "";
    return { file, specifier, target: targetOf(root, file, specifier), typeOnly: match[1] !== undefined };
  });
}

function targetOf(root: string, file: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return normalize(join(dirname(file), specifier));
  const own = /^@csi-sidecars\/([^/]+)(\/.*)?$/.exec(specifier);
  if (!own?.[1]) return undefined;
  const folder = join(existsSync(join(root, "components", own[1])) ? "components" : "packages", own[1]);
  return join(folder, exportsOf(root, folder)[`.${own[2] ?? ""}`] ?? own[2] ?? "index.ts");
}

/** The `exports` of a workspace's package.json: entry point to file. */
function exportsOf(root: string, folder: string): Readonly<Record<string, string>> {
  const manifest = join(root, folder, "package.json");
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, "utf8")).exports ?? {}) : {};
}

/** All TypeScript sources of the repository, generated ones included. */
export function sources(root: string): string[] {
  return ["packages", "components", "cmd", "examples", "test", "tools", "bench"]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.ts`).scanSync(root)])
    .filter((file) => !file.includes("node_modules/") && !file.includes("/dist/"))
    .sort();
}
