import { isRecord } from "@csi-sidecars/base";

/** The packages that are in what ships, with their versions: the runtime, and what package-lock.json does not have for development alone. */
export function shippedPackages(lockfile: string): ReadonlyMap<string, string> {
  const { packages } = JSON.parse(lockfile);
  const entries = Object.entries(isRecord(packages) ? packages : {}).flatMap(([path, entry]): [string, string][] => {
    const name = path.split("node_modules/").at(-1) ?? "";
    if (!path.includes("node_modules/") || !isRecord(entry) || entry.link) return [];
    if (entry.dev && name !== "bun") return [];
    return [[name, String(entry.version)]];
  });
  return new Map(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export interface DependencyChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** In upstream's form: `name: v1` and `name: v1 → v2`. */
export function dependencyChanges(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): DependencyChanges {
  const both = [...after].filter(([name]) => before.has(name));
  return {
    added: [...after].filter(([name]) => !before.has(name)).map(([name, version]) => `${name}: v${version}`),
    changed: both
      .filter(([name, version]) => before.get(name) !== version)
      .map(([name, version]) => `${name}: v${before.get(name)} → v${version}`),
    removed: [...before].filter(([name]) => !after.has(name)).map(([name, version]) => `${name}: v${version}`),
  };
}
