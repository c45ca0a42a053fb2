import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { flagsSnapshot, type Snapshot } from "./flags-snapshot.ts";
import { releasedComponents, releasedPrograms } from "./programs.ts";
import { rbacSnapshot } from "./rbac-snapshot.ts";

/** The files that a release is compared with the one before by, below the root. */
export const flagsFile = "release/flags.json";
export const rbacFile = "release/rbac.json";
export const reviewedFile = "release/reviewed.json";

/** What those of flags and permissions contain, as the programs are now. */
export function currentSnapshots(): ReadonlyMap<string, string> {
  const text = (snapshot: Snapshot) => `${JSON.stringify(snapshot, undefined, 2)}\n`;
  return new Map([
    [flagsFile, text(flagsSnapshot(releasedPrograms))],
    [rbacFile, text(rbacSnapshot(releasedComponents))],
  ]);
}

export type Snapshots = ReturnType<typeof currentSnapshots>;

export function writeSnapshots(root: string): void {
  for (const [file, text] of currentSnapshots()) writeFileSync(join(root, file), text);
}

/** The snapshots that are not what the programs are. */
export function staleSnapshots(root: string, snapshots: Snapshots): readonly string[] {
  return [...snapshots].filter(([file, text]) => readFileSync(join(root, file), "utf8") !== text).map(([file]) => file);
}
