import { win32 } from "node:path";

export type SimulatedEntry =
  | { readonly kind: "file" }
  | { readonly kind: "directory"; readonly isEmpty: boolean }
  | { readonly kind: "symlink"; readonly target: string };

/** The files and directories of a simulated host, by their Windows paths. */
export interface SimulatedPaths {
  /** What is there, links not followed; `undefined` for nothing. */
  entry(path: string): SimulatedEntry | undefined;
}

/** Files and directories in memory: only what a mount point or a link needs to know of them. */
export class MemoryPaths implements SimulatedPaths {
  readonly #entries = new Map<string, { readonly kind: "file" | "directory" } | { readonly kind: "symlink"; readonly target: string }>();

  mkdir(path: string): void {
    const parent = win32.dirname(path);
    if (parent !== path) this.mkdir(parent);
    this.#entries.set(pathKey(path), { kind: "directory" });
  }

  writeFile(path: string): void {
    this.mkdir(win32.dirname(path));
    this.#entries.set(pathKey(path), { kind: "file" });
  }

  symlink(target: string, path: string): void {
    this.mkdir(win32.dirname(path));
    this.#entries.set(pathKey(path), { kind: "symlink", target });
  }

  remove(path: string): void {
    this.#entries.delete(pathKey(path));
  }

  entry(path: string): SimulatedEntry | undefined {
    const key = pathKey(path);
    const entry = this.#entries.get(key);
    if (entry?.kind !== "directory") return entry as SimulatedEntry | undefined;
    const inside = key.endsWith("\\") ? key : `${key}\\`;
    const isEmpty = ![...this.#entries.keys()].some((other) => other !== key && other.startsWith(inside));
    return { kind: "directory", isEmpty };
  }
}

/** Windows compares paths without regard to case; a trailing backslash means nothing, except for a drive's root. */
export function pathKey(path: string): string {
  const normal = win32.normalize(path).toLowerCase();
  return win32.parse(normal).root === normal ? normal : normal.replace(/\\$/, "");
}
