import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

export const sha256 = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

/** Writes `SHA256SUMS` of the files to their common folder, for `sha256sum --check`. */
export function writeChecksums(folder: string, files: readonly string[]): void {
  const lines = files.map((file) => `${sha256(file)}  ${relative(folder, file)}\n`);
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}
