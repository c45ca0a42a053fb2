import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readArguments, runCommand } from "../run-command.ts";
import { packLibraries } from "./pack-libraries.ts";

const root = join(import.meta.dirname, "../..");

const help = `npm run pack:libraries: archives for npm of the libraries.

  --out <folder>  where they are written to (default: dist/npm)
`;

await runCommand("pack-libraries", help, (argv) => {
  const { out = join(root, "dist/npm") } = readArguments(() => parseArgs({ args: [...argv], options: { out: { type: "string" } } })).values;
  for (const archive of packLibraries(root, resolve(out))) console.log(relative(process.cwd(), archive));
  return 0;
});
