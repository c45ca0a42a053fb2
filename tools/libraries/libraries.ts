import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The packages that are libraries of their own, each after those that it needs. */
export const libraries = ["base", "csi", "csi-proxy"] as const;

/** The parts of a package.json that are read or written here. */
export interface LibraryManifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface RootManifest {
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

export function manifestOf<T>(folder: string): T {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** The package.json of a library as it is published: of JavaScript with declarations, with the versions of all that it imports. */
export function publishedManifest(library: LibraryManifest, root: RootManifest, imported: Iterable<string>): object {
  const { exports, ...rest } = library;
  const versionOf = (name: string) => {
    const version = name.startsWith("@csi-sidecars/") ? library.version : new Map(Object.entries(root.dependencies)).get(name);
    if (version === undefined) throw new Error(`${library.name} imports ${name}, which is no dependency in package.json`);
    return version;
  };
  const dependencies = Object.fromEntries([...new Set(imported)].sort().map((name) => [name, versionOf(name)]));
  const entries = Object.entries(exports).map(([entry, file]) => {
    const path = file.replace(/\.ts$/, "");
    return [entry, { types: `${path}.d.ts`, default: `${path}.js` }];
  });
  return { ...rest, engines: root.engines, exports: Object.fromEntries(entries), dependencies };
}

/** The packages that a compiled module imports: `@bufbuild/protobuf` for `@bufbuild/protobuf/wire`. Built-in modules are none. */
export function packagesImportedBy(javascript: string): readonly string[] {
  const specifiers = [...javascript.matchAll(/^(?:import |(?:import|export) [^;"'=(]* from )"([^"]+)";$/gm)].map(
    ([, specifier = ""]) => specifier,
  );
  return specifiers
    .filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
    .map((specifier) => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/"));
}
