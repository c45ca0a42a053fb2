// `npm run release`: checks that HEAD can be released, tags it with the version in package.json, and writes what is published to dist/release.
// Nothing is pushed; when a step fails, or on Ctrl-C, the tag is taken back.
// `npm run release -- --dry-run`: the quick checks and the texts alone, to dist/release-dry-run; no tag, no build.
// `--out <folder>` writes to another folder.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "@csi-sidecars/base";
import { UserError } from "../../cmd/playground/user-error.ts";
import { buildTwice } from "./build-twice.ts";
import { interruptible } from "./interruptible.ts";
import { buildImages } from "./outputs.ts";
import { release } from "./run-release.ts";

const root = join(import.meta.dirname, "../..");

function readOptions(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: { "dry-run": { type: "boolean" }, out: { type: "string" } } }).values;
  } catch (error) {
    throw new UserError(messageOf(error), 2);
  }
}

try {
  const { "dry-run": dryRun = false, out = join(root, dryRun ? "dist/release-dry-run" : "dist/release") } = readOptions(
    process.argv.slice(2),
  );
  await interruptible((signal) =>
    release({ root, out: resolve(out), dryRun, signal, print: console.log, buildPrograms: buildTwice, buildImages }),
  );
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = error.exitCode;
}
