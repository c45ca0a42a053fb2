import { chmodSync, existsSync, lstatSync, renameSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Logger } from "@csi-sidecars/base";
import type { PendingMove } from "./data.ts";

/**
 * The directory in which data waits while the state that refers to it is written. Whenever the process dies, in a creation or in a
 * deletion: data with a record is moved to its path at the next start, data without one is removed.
 */
export class PendingArea {
  readonly directory: string;
  readonly #log: Logger;

  private constructor(directory: string, log: Logger) {
    this.directory = directory;
    this.#log = log;
  }

  /** Opens the area and completes what a crash interrupted; `isKnown` says which paths have a record. */
  static async open(stateDir: string, isKnown: (path: string) => boolean, log: Logger): Promise<PendingArea> {
    const directory = join(stateDir, ".pending");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    for (const entry of await readdir(directory)) {
      const [from, to] = [join(directory, entry), join(stateDir, entry)];
      const restore = isKnown(to) && !existsSync(to);
      const what = restore
        ? "Restoring data that an interrupted operation left behind"
        : "Removing data that an interrupted operation left behind";
      log.info(what, { path: to });
      try {
        if (restore) moveData(from, to);
        else await removeData(from);
      } catch (error) {
        // The other volumes do not wait for it.
        log.error(error, `${what} failed; the next start retries`, { path: from });
      }
    }
    return new PendingArea(directory, log);
  }

  /** Where new data for a path is prepared. */
  placeFor(path: string): string {
    return join(this.directory, basename(path));
  }

  /** New data that is complete: the commit moves it to its path. */
  incoming(path: string): PendingMove {
    const prepared = this.placeFor(path);
    return {
      commit: () => moveData(prepared, path),
      cleanUp: async () => {},
      rollback: () => removeData(prepared),
    };
  }

  /** Data to be removed: it is moved here, and deleted after the commit. */
  async outgoing(path: string): Promise<PendingMove> {
    const aside = this.placeFor(path);
    const found = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    if (found) moveData(path, aside);
    return {
      commit() {},
      cleanUp: async () => {
        if (!found) return;
        const remains = (error: unknown) => this.#log.error(error, "Cannot remove data; the next start retries", { path: aside });
        await removeData(aside).catch(remains);
      },
      rollback: async () => {
        if (found) moveData(aside, path);
      },
    };
  }
}

const ownerMayAll = 0o700;

/** Renames data into another directory. A directory that its owner made read-only is made writable for the rename. */
function moveData(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const { mode } = lstatSync(from);
    if ((mode & ownerMayAll) === ownerMayAll) throw error;
    chmodSync(from, (mode & 0o7777) | ownerMayAll);
    renameSync(from, to);
    chmodSync(to, mode & 0o7777);
  }
}

/** Removes data with everything in it, also directories that were made read-only. Follows no link. */
async function removeData(path: string): Promise<void> {
  // A program that was started by an earlier process may still write there.
  const options = { recursive: true, force: true, maxRetries: 10 };
  await rm(path, options).catch(async (error: unknown) => {
    if (!isRefused(error)) throw error;
    await openDirectories(path);
    await rm(path, options);
  });
}

async function openDirectories(path: string): Promise<void> {
  const found = await lstat(path);
  if (!found.isDirectory()) return;
  await chmod(path, ownerMayAll);
  for (const entry of await readdir(path)) await openDirectories(join(path, entry));
}

const isRefused = (error: unknown) => error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM");
