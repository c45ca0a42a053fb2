import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readArguments, runCommand } from "../run-command.ts";
import { buildTwice } from "./build-twice.ts";
import { interruptible } from "./interruptible.ts";
import { buildImages } from "./outputs.ts";
import { release } from "./run-release.ts";
import { currentSnapshots } from "./snapshots.ts";

const root = join(import.meta.dirname, "../..");

const help = `npm run release -- [options]: checks that HEAD can be released, tags it with the version in package.json, and writes what is
published. Nothing is pushed; when a step fails, or on Ctrl-C, the tag is taken back.

  --dry-run       the quick checks and the texts alone: no tag, no build
  --out <folder>  where it is written to (default: dist/release, or dist/release-dry-run)
`;

await runCommand("release", help, async (argv) => {
  const options = { "dry-run": { type: "boolean" }, out: { type: "string" } } as const;
  const { values } = readArguments(() => parseArgs({ args: [...argv], options }));
  const dryRun = values["dry-run"] ?? false;
  const out = resolve(values.out ?? join(root, dryRun ? "dist/release-dry-run" : "dist/release"));
  const today = new Date().toISOString().slice(0, 10);
  const snapshots = currentSnapshots();
  const builds = { buildPrograms: buildTwice, buildImages };
  await interruptible((signal) => release({ root, out, dryRun, today, snapshots, signal, print: console.log, ...builds }));
  return 0;
});
