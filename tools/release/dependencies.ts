import { lockedPackages, shippedPackages } from "../records/npm-packages.ts";

/** What programs depend on, with versions: the packages that ship, and the runtime under its common name. */
export function dependencies(lockfile: string): ReadonlyMap<string, string> {
  const runtime = lockedPackages(lockfile).filter(({ name }) => name === "bun");
  const all = [...shippedPackages(lockfile), ...runtime].map(({ name, version }) => [name, version] as const);
  return new Map(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
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
