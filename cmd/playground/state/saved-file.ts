import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, systemErrorCode } from "@csi-sidecars/base";
import { UserError } from "../user-error.ts";

/** The content of a JSON file of an earlier run; `undefined` where there is none. Throws a {@link UserError} when it is damaged. */
export function readSavedFile<T>(file: string, check: (content: unknown) => content is T): T | undefined {
  if (!existsSync(file)) return undefined;
  const content = parse(file);
  if (!check(content)) throw damaged(file, "was not written by the playground");
  return content;
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const code = systemErrorCode(error);
    throw damaged(file, code === undefined ? `is damaged (${messageOf(error)})` : `cannot be read (${code})`);
  }
}

const damaged = (file: string, what: string) =>
  new UserError(`--state: ${file} ${what}; nothing was changed: restore it from a copy, or remove ${dirname(file)} to start over`);

/** Writes to a temporary file and renames it, so that the file is never half written. */
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
