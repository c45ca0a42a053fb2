import { existsSync } from "node:fs";
import { access, chmod, lstat, mkdir, open, rm, statfs, truncate } from "node:fs/promises";
import { refuse } from "../refuse.ts";
import { limitConcurrency, ProgramFailure, type RunProgram } from "../run-program.ts";
import { type Content, type Data, isDataName, snapshotDataPath, volumeDataPath } from "./data.ts";
import type { PendingArea } from "./pending-area.ts";
import { fileSystemTime, isWrittenSince } from "./written-since.ts";

/**
 * Directories (mount volumes) and sparse files (block volumes) below the state directory; snapshots are `<id>.snap`: a gzip
 * archive made by `tar`, or a copy of the file.
 */
export function diskData(stateDir: string, pending: PendingArea, runAtOnce: RunProgram): Data {
  const run = limitConcurrency(runAtOnce, copiesAtOnce);
  const prepare = async (path: string, work: (prepared: string) => Promise<void>) => {
    if (await lstat(path).catch(() => undefined)) throw new Error(`${path} exists and belongs to no volume or snapshot`);
    const move = pending.incoming(path);
    try {
      await work(pending.placeFor(path));
    } catch (error) {
      await move.rollback();
      throw error;
    }
    return move;
  };
  return {
    isVolumeId: isDataName,
    volumePath: (id) => volumeDataPath(stateDir, id),
    snapshotPath: (id) => snapshotDataPath(stateDir, id),

    createVolume: ({ path, size, accessType }, content) =>
      prepare(path, (prepared) =>
        accessType === "mount" ? makeDirectory(prepared, content, run) : makeFile(prepared, size, content, run),
      ),

    createSnapshot: ({ path }, volume, { ignoreFailedRead }) =>
      prepare(path, async (prepared) => {
        const lenient = ignoreFailedRead ? ["--ignore-failed-read"] : [];
        if (volume.accessType === "mount")
          await run("tar", ["-czf", prepared, ...faithful, "--sparse", ...lenient, "-C", volume.path, "."]).catch(unlessFilesChanged);
        else await run("cp", ["--sparse=always", volume.path, prepared]);
        await syncFile(prepared);
      }),

    remove: (path) => pending.outgoing(path),

    async resize({ path, accessType }, size) {
      if (accessType === "block") await setSize(path, size);
    },

    exists: ({ path }) => existsSync(path),

    now: () => fileSystemTime(pending.directory),

    isWrittenSince: ({ path }, time) => isWrittenSince(path, time),

    async space() {
      const { bsize, blocks, bavail } = await statfs(stateDir, { bigint: true });
      return { total: blocks * bsize, available: bavail * bsize };
    },
  };
}

/** Few enough for a small machine, enough to keep its disk busy. */
const copiesAtOnce = 16;

/** What a restored file has of the one that was archived beyond its content; owners by number, for names differ between images. */
const faithful = ["--numeric-owner", "--xattrs", "--acls"];

/** The status of GNU tar when a file changed while it was read: a volume may be snapshot while it is written to. */
function unlessFilesChanged(error: unknown): void {
  if (!(error instanceof ProgramFailure) || error.status !== 1) throw error;
}

/** The same of GNU cp, which has no status of its own for it: each line must be about a file that no longer exists. */
function unlessFilesVanished(error: unknown): void {
  const vanished = (line: string) => /^cp: cannot (stat|open|access) .*: No such file or directory$/.test(line);
  if (!(error instanceof ProgramFailure) || error.status !== 1 || !error.stderr.split("\n").every(vanished)) throw error;
}

async function makeDirectory(path: string, content: Content, run: RunProgram): Promise<void> {
  await mkdir(path);
  // Pods of any user write here; the mode given to mkdir is subject to the umask.
  await chmod(path, 0o777);
  if (content.kind === "snapshot")
    await run("tar", ["-xzf", content.snapshot.path, ...faithful, "--xattrs-include=*", "--warning=no-xattr-write", "-p", "-C", path]);
  if (content.kind === "volume") {
    await access(content.volume.path);
    await run("cp", ["-a", `${content.volume.path}/.`, `${path}/`]).catch(unlessFilesVanished);
  }
}

async function makeFile(path: string, size: bigint, content: Content, run: RunProgram): Promise<void> {
  if (content.kind === "empty") await (await open(path, "wx", 0o600)).close();
  else await run("cp", ["--sparse=always", content.kind === "snapshot" ? content.snapshot.path : content.volume.path, path]);
  await setSize(path, size).catch(async (error: unknown) => {
    await rm(path, { force: true });
    throw error;
  });
  if (content.kind !== "empty") await syncFile(path);
}

/** What the file system says, and what the runtime says before it. */
const tooLarge = ["EFBIG", "EINVAL", "ERR_OUT_OF_RANGE"];

async function setSize(path: string, size: bigint): Promise<void> {
  await truncate(path, Number(size)).catch((error: NodeJS.ErrnoException) => {
    if (!tooLarge.includes(error.code ?? "")) throw error;
    refuse("OutOfRange", `the file system cannot have a file of ${size} bytes`);
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
