import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A package of Debian as it is locked. */
export interface LockedPackage {
  readonly version: string;
  readonly source: string;
  /** Of the .deb file. */
  readonly sha256: string;
}

/** By architecture and name. */
export type Lock = Readonly<Record<string, Readonly<Record<string, LockedPackage>>>>;

const path = join(import.meta.dirname, "packages.lock.json");

export const readLock = (): Lock => JSON.parse(readFileSync(path, "utf8"));
export const writeLock = (lock: Lock): void => writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
