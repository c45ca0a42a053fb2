import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, open, rm, statfs, truncate } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { RunProgram } from "../run-program.ts";
import type { Content, Data } from "./data.ts";
import type { PendingArea } from "./pending-area.ts";

/**
 * Directories (mount volumes) and sparse files (block volumes) below the state directory; snapshots are `<id>.snap`: a gzip
 * archive made by `tar`, or a copy of the file.
 */
export function diskData(stateDir: string, pending: PendingArea, run: RunProgram): Data {
  const prepare = async (path: string, work: (prepared: string) => Promise<void>) => {
    if (await lstat(path).catch(() => undefined)) throw new Error(`${path} exists and belongs to no volume or snapshot`);
    const move = pending.incoming(path);
    try {
      await work(pending.placeFor(path));
    } catch (error) {
      await move.undo();
      throw error;
    }
    return move;
  };
  return {
    isVolumeId: (id) => !reserved.test(id),
    volumePath: (id) => join(resolve(stateDir), id),
    snapshotPath: (id) => join(resolve(stateDir), `${id}.snap`),

    createVolume: ({ path, size, accessType }, content) =>
      prepare(path, (prepared) =>
        accessType === "mount" ? makeDirectory(prepared, content, run) : makeFile(prepared, size, content, run),
      ),

    createSnapshot: ({ path }, volume, { ignoreFailedRead }) =>
      prepare(path, async (prepared) => {
        const lenient = ignoreFailedRead ? ["--ignore-failed-read"] : [];
        if (volume.accessType === "mount")
          await run("tar", ["-czf", prepared, ...lenient, "-C", volume.path, "."]).catch(unlessFilesChanged);
        else await run("cp", ["--sparse=always", volume.path, prepared]);
        await syncFile(prepared);
      }),

    remove: (path) => pending.outgoing(path),

    async grow({ path, accessType }, size) {
      if (accessType === "block") await truncate(path, Number(size));
    },

    exists: ({ path }) => existsSync(path),

    async space() {
      const { bsize, blocks, bavail } = await statfs(stateDir, { bigint: true });
      return { total: blocks * bsize, available: bavail * bsize };
    },
  };
}

/** Names that would leave the state directory, or that something else has in it. */
const reserved = /[/\0]|^\.|^state\.|\.snap$/;

/** The status of GNU tar when a file changed while it was read: a volume may be snapshot while it is written to. */
function unlessFilesChanged(error: unknown): void {
  const { code } = (error instanceof Error && error.cause instanceof Error ? error.cause : {}) as { code?: unknown };
  if (code !== 1) throw error;
}

async function makeDirectory(path: string, content: Content, run: RunProgram): Promise<void> {
  await mkdir(path);
  // Pods of any user write here; the mode given to mkdir is subject to the umask.
  await chmod(path, 0o777);
  if (content.kind === "snapshot") await run("tar", ["-xzf", content.snapshot.path, "-C", path]);
  if (content.kind === "volume") await run("cp", ["-a", `${content.volume.path}/.`, `${path}/`]);
}

async function makeFile(path: string, size: bigint, content: Content, run: RunProgram): Promise<void> {
  if (content.kind === "empty") await (await open(path, "wx", 0o600)).close();
  else await run("cp", ["--sparse=always", content.kind === "snapshot" ? content.snapshot.path : content.volume.path, path]);
  await truncate(path, Number(size)).catch(async (error: unknown) => {
    await rm(path, { force: true });
    throw error;
  });
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
