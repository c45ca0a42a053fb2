import { existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { basename, join } from "node:path";
import { systemErrorCode } from "@csi-sidecars/base";

const root = "/sys/fs/cgroup";

/** The folders of the controllers in version 1, the only folder in version 2. */
function hierarchies(): string[] {
  if (existsSync(join(root, "cgroup.controllers"))) return [root];
  return readdirSync(root).map((controller) => join(root, controller));
}

/** A control group in which the kubelet keeps those of its pods; removed with the node's folder. */
export function makeCgroup(folder: string): string {
  for (const hierarchy of hierarchies()) mkdirSync(join(hierarchy, basename(folder)), { recursive: true });
  return `/${basename(folder)}`;
}

export function removeCgroups(folder: string): void {
  for (const hierarchy of hierarchies()) removeTree(join(hierarchy, basename(folder)));
}

/** Control groups have files that cannot be removed: only their folders can, those inside first. */
function removeTree(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  }
  removeWhenEmpty(folder);
}

/** The processes of a group that has just ended may be counted for another moment. */
function removeWhenEmpty(folder: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      rmdirSync(folder);
      return;
    } catch (error) {
      if (systemErrorCode(error) !== "EBUSY" || attempt === 50) throw error;
      Bun.sleepSync(100);
    }
  }
}
