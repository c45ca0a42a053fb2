import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Replaces a file so that whoever looks sees the old content or the new one, even after a power cut. */
export async function replaceFile(path: string, content: string, mode: number): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const file = await open(temporary, "w", mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    // The half-written file takes the space that the next attempt needs.
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Makes the entries of a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** A file that only grows at its end: what a journal needs of the operating system. Tests give one that fails. */
export interface AppendFile {
  append(bytes: Uint8Array, at: number): Promise<void>;
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens or creates a real {@link AppendFile}. */
export async function openAppendFile(path: string): Promise<AppendFile> {
  const file: FileHandle = await open(path, "a+", 0o600).then(async (handle) => {
    await handle.close();
    return open(path, "r+");
  });
  return {
    async append(bytes, at) {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
        done += bytesWritten;
      }
    },
    sync: () => file.datasync(),
    truncate: (length) => file.truncate(length),
    close: () => file.close(),
  };
}

/** A state file that cannot be read. The driver does not start with it, because it would forget volumes that hold data. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";

  constructor(file: string, what: string) {
    super(
      `${file}: ${what}. Nothing was changed. Restore the file from a copy, or move the whole state directory away to start with none: ` +
        "the data of the volumes stays in their directories there.",
    );
  }
}
