import { existsSync, lstatSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Logger } from "@csi-sidecars/base";
import type { Move } from "./data.ts";
import { moveData, removeData } from "./move-data.ts";

/**
 * The directory in which data waits while the state that speaks of it is written. Data whose record exists belongs to its place,
 * data without a record belongs to nobody: that is true of creation and of deletion alike, whenever the process dies.
 */
export class PendingArea {
  readonly directory: string;
  readonly #log: Logger;

  private constructor(directory: string, log: Logger) {
    this.directory = directory;
    this.#log = log;
  }

  /** Opens the area and ends what a crash interrupted: `isKnown` says which paths the state speaks of. */
  static async open(stateDir: string, isKnown: (path: string) => boolean, log: Logger): Promise<PendingArea> {
    const directory = join(stateDir, ".pending");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    for (const entry of await readdir(directory)) {
      const [from, to] = [join(directory, entry), join(stateDir, entry)];
      const restore = isKnown(to) && !existsSync(to);
      const what = restore
        ? "Putting data into its place that an interruption left behind"
        : "Removing data that an interruption left behind";
      log.info(what, { path: to });
      try {
        if (restore) moveData(from, to);
        else await removeData(from);
      } catch (error) {
        // The other volumes are not to wait for it.
        log.error(error, `${what} failed; the next start tries again`, { path: from });
      }
    }
    return new PendingArea(directory, log);
  }

  /** Where new data for a path is prepared. */
  placeFor(path: string): string {
    return join(this.directory, basename(path));
  }

  /** New data that is complete: it comes to its place when it is settled. */
  incoming(path: string): Move {
    const prepared = this.placeFor(path);
    return {
      settle: () => moveData(prepared, path),
      finish: async () => {},
      undo: () => removeData(prepared),
    };
  }

  /** Takes data out of its place: settled, it is removed. */
  async outgoing(path: string): Promise<Move> {
    const aside = this.placeFor(path);
    const found = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    if (found) moveData(path, aside);
    return {
      settle() {},
      finish: async () => {
        if (!found) return;
        const remains = (error: unknown) => this.#log.error(error, "Cannot remove data; the next start tries again", { path: aside });
        await removeData(aside).catch(remains);
      },
      undo: async () => {
        if (found) moveData(aside, path);
      },
    };
  }
}
