// `npm run pack:libraries`: archives for npm of the libraries in dist/npm; `--out <folder>` writes to another folder.
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packLibraries } from "./pack-libraries.ts";

const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({ options: { out: { type: "string" } } });
for (const archive of packLibraries(root, resolve(values.out ?? join(root, "dist/npm")))) console.log(relative(process.cwd(), archive));
