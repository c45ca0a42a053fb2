import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Writes `SHA256SUMS` of the files into their common folder, as `sha256sum --check` reads it there. */
export function writeChecksums(folder: string, files: readonly string[]): void {
  const lines = files.map((file) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${relative(folder, file)}\n`);
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}
