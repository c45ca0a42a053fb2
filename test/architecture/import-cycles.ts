import type { Import } from "./imports.ts";

/** The groups of files that import each other, directly or through others (Tarjan's strongly connected components). Sorted. */
export function importCycles(imports: readonly Pick<Import, "file" | "target">[]): string[][] {
  const edges = new Map<string, string[]>();
  for (const { file, target } of imports) {
    if (target !== undefined) edges.set(file, [...(edges.get(file) ?? []), target]);
  }
  const order = new Map<string, number>();
  const path: string[] = [];
  const cycles: string[][] = [];

  /** The smallest order on the present path that can be reached from the file. */
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    path.push(file);
    let lowest = own;
    for (const target of edges.get(file) ?? []) {
      const seen = order.get(target);
      if (seen === undefined) lowest = Math.min(lowest, visit(target));
      else if (path.includes(target)) lowest = Math.min(lowest, seen);
    }
    if (lowest === own) {
      const group = path.splice(path.indexOf(file));
      if (group.length > 1 || edges.get(file)?.includes(file)) cycles.push(group.sort());
    }
    return lowest;
  };

  for (const file of [...edges.keys()].sort()) {
    if (!order.has(file)) visit(file);
  }
  return cycles.sort((a, b) => (a[0] ?? "").localeCompare(b[0] ?? ""));
}
