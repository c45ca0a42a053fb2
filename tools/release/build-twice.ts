import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runTool } from "./run-tool.ts";

/** Builds the programs of all platforms twice, in two folders, and returns what differs. The first build stays. */
export async function buildTwice(root: string, out: string, signal: AbortSignal): Promise<readonly string[]> {
  const again = `${out}-again`;
  try {
    const first = await build(root, out, signal);
    const second = await build(root, again, signal);
    const files = [...new Set([...first.keys(), ...second.keys()])];
    return files.filter((file) => first.get(file) !== second.get(file));
  } finally {
    rmSync(again, { recursive: true, force: true });
  }
}

/** The checksums of a build by file. */
async function build(root: string, out: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  await runTool(root, ["tools/build/build.ts", "--all", "--out", out], signal);
  return checksumsIn(readFileSync(join(out, "SHA256SUMS"), "utf8"));
}

/** The lines of `sha256sum` by file. */
export function checksumsIn(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
}
