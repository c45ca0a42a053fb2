import type { Answer, RouteRequest, Routes } from "./routes.ts";

export type Route = (request: RouteRequest) => Answer | Promise<Answer>;

/** A set of paths that grows and shrinks while it is served. */
export class Mux {
  readonly #tables = new Set<Routes>();

  /** Adds paths; those added first are asked first. Returns how to take them away. */
  add(routes: Routes): () => void {
    const table = { ...routes };
    this.#tables.add(table);
    return () => this.#tables.delete(table);
  }

  /** What answers a path: the path itself, or the longest one above it that ends in a slash. */
  find(path: string): Route | undefined {
    for (const table of this.#tables) if (Object.hasOwn(table, path)) return table[path];
    for (let end = path.lastIndexOf("/"); end >= 0; end = end === 0 ? -1 : path.lastIndexOf("/", end - 1)) {
      const above = path.slice(0, end + 1);
      for (const table of this.#tables) if (above !== path && Object.hasOwn(table, above)) return table[above];
    }
    return undefined;
  }
}
