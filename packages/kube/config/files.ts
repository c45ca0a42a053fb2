import { readFileSync } from "node:fs";
import { type Dictionary, dictionary, systemErrorCode } from "@csi-sidecars/base";
import { ConfigError } from "./config-fields.ts";

/** How configuration and credentials read files: small ones and rarely, hence synchronously. */
export interface Files {
  /** The whole file as text; throws as `readFileSync` does. */
  read(path: string): string;
}

export const systemFiles: Files = { read: (path) => readFileSync(path, "utf8") };

/** Environment variables, passed in by the program. */
export type Environment = Readonly<Record<string, string | undefined>>;

const reasons: Readonly<Dictionary<string>> = dictionary({
  ENOENT: "file not found",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "is a directory",
  ENOTDIR: "a part of the path is not a directory",
});

/** Why a file could not be read, in words. */
export function readFailure(error: unknown): string {
  const code = systemErrorCode(error) ?? "";
  return reasons[code] ?? (code || "cannot be read");
}

/** Reads a file named in the configuration; the error says where it was named and what to do. */
export function readNamedFile(files: Files, path: string, where: string, remedy: string): string {
  try {
    return files.read(path);
  } catch (error) {
    throw new ConfigError(`${where}: ${path}: ${readFailure(error)}; ${remedy}`);
  }
}
