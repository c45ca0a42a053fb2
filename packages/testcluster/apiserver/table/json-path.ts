import { at } from "../../rules/json.ts";

/** Reads a simple path such as `.status.boundVolumeSnapshotContentName` or `.metadata.labels['a.b/c']`. */
export function jsonPath(path: string): (object: unknown) => unknown {
  const names = [...path.matchAll(/\.([^.[\]]+)|\['([^']+)'\]/g)].map(([, plain, quoted]) => plain ?? quoted ?? "");
  return (object) => at(object, ...names);
}
