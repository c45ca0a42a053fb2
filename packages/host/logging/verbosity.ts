import type { ModuleVerbosity } from "../flags/pairs.ts";

/** How much is shown of whom. */
export interface Verbosity {
  /** `--v`. */
  readonly all: number;
  /** `--<controller>-v`, by the first part of a logger's name; may be less than `all`. */
  readonly byComponent?: ReadonlyMap<string, number>;
  /** `--vmodule`: raises loggers that match. */
  readonly byPattern?: readonly ModuleVerbosity[];
}

/** The highest level shown of a logger. A pattern that matches `attacher` also holds for `attacher.va`; the first that matches decides. */
export function threshold(logger: string, { all, byComponent, byPattern = [] }: Verbosity): number {
  const parts = logger.split(".");
  const own = byComponent?.get(parts[0] ?? "") ?? all;
  const names = parts.map((_, index) => parts.slice(0, index + 1).join("."));
  const matching = byPattern.find(({ pattern }) => names.some((name) => matches(pattern, name)));
  return Math.max(own, matching?.verbosity ?? 0);
}

/** `*` stands for anything, `?` for one character. */
function matches(pattern: string, name: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${expression}$`).test(name);
}
