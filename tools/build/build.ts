// `npm run build`: the program for this machine in dist/, with links named after the individual sidecars.
// `npm run build:all`: every platform in dist/<platform>/ with runtimes from the npm registry, and their SHA256SUMS.
// `--out <folder>` writes to another folder.

import { createHash } from "node:crypto";
import { readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { buildVersion, compile } from "./compile.ts";
import { runtimeFor, targets } from "./runtime.ts";
import { measure, overBudget, sizeText } from "./size.ts";

const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({ options: { all: { type: "boolean" }, out: { type: "string" } } });
const out = resolve(values.out ?? join(root, "dist"));
const version = buildVersion(root);

if (values.all) await buildAll();
else {
  const file = compile({ ...version, root, folder: out, fileName: "csi-sidecars", bytecode: true });
  linkIndividual(out);
  console.log(`${relative(process.cwd(), file)}  ${version.version}`);
}

async function buildAll(): Promise<void> {
  const runtimes = await Promise.all(targets.map(async (target) => ({ target, runtime: await runtimeFor(target, root, process.env) })));
  const files = runtimes.map(({ target, runtime }) => {
    const { name, bunTarget, executable, bytecode } = target;
    const folder = join(out, name);
    const fileName = executable === "bun.exe" ? "csi-sidecars.exe" : "csi-sidecars";
    const file = compile({ ...version, root, folder, fileName, bytecode, platform: { bunTarget, runtime } });
    if (executable === "bun") linkIndividual(folder);
    return file;
  });
  writeChecksums(out, files);
  for (const file of files) {
    const size = await measure(file);
    console.log(`${relative(process.cwd(), file)}  ${sizeText(size)}`);
    if (overBudget(size)) process.exitCode = 1;
  }
  console.log(`${relative(process.cwd(), join(out, "SHA256SUMS"))}  ${version.version}`);
  if (process.exitCode === 1) console.error("build: too large; see tools/build/size.ts");
}

/** Links for the individual programs, renamed into place as the program is. Windows has none: there the program's name is the first argument (`csi-sidecars.exe livenessprobe ...`). */
function linkIndividual(folder: string): void {
  for (const { standalone } of components) {
    const [made, path] = [join(folder, `.${standalone}-${process.pid}`), join(folder, standalone)];
    symlinkSync("csi-sidecars", made);
    renameSync(made, path);
  }
}

/** Writes `SHA256SUMS` of the files to their common folder, for `sha256sum --check`. */
function writeChecksums(folder: string, files: readonly string[]): void {
  const lines = files.map((file) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${relative(folder, file)}\n`);
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}
