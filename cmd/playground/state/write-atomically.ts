import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";

/** Written beside the file first: whatever happens, the file is either what it was or what it shall be. */
export function writeAtomically(file: string, text: string, mode = 0o600): void {
  const fresh = `${file}.new`;
  const descriptor = openSync(fresh, "w", mode);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(fresh, file);
}
