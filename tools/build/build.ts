import { renameSync, symlinkSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readArguments, runCommand } from "../run-command.ts";
import { writeChecksums } from "./checksums.ts";
import { buildVersion, compile } from "./compile.ts";
import { type BuiltProgram, programs } from "./programs.ts";
import { runtimeFor, targets } from "./runtime.ts";
import { measure, overBudget, sizeText } from "./size.ts";

const root = join(import.meta.dirname, "../..");
const version = buildVersion(root);

const help = `npm run build: the programs for this machine, with links for their other names.
npm run build:all: those of every platform, with runtimes from the npm registry, and their SHA256SUMS.

  --out <folder>  where they are written to (default: dist, and dist/<platform> with build:all)
`;

await runCommand("build", help, async (argv) => {
  const options = { all: { type: "boolean" }, out: { type: "string" } } as const;
  const { values } = readArguments(() => parseArgs({ args: [...argv], options }));
  const out = resolve(values.out ?? join(root, "dist"));
  return values.all ? await buildAll(out) : buildHere(out);
});

function buildHere(out: string): number {
  for (const program of programs) {
    const { name } = program;
    const file = compile({ ...version, root, program: `cmd/${name}`, folder: out, fileName: name, bytecode: true });
    linkOtherNames(program, out);
    console.log(`${relative(process.cwd(), file)}  ${version.version}`);
  }
  return 0;
}

async function buildAll(out: string): Promise<number> {
  const runtimes = await Promise.all(targets.map(async (target) => ({ target, runtime: await runtimeFor(target, root, process.env) })));
  const files = runtimes.flatMap(({ target, runtime }) => {
    const { name, bunTarget, executable, bytecode } = target;
    const folder = join(out, name);
    return programs.map((program) => {
      const fileName = executable === "bun.exe" ? `${program.name}.exe` : program.name;
      const file = compile({
        ...version,
        root,
        program: `cmd/${program.name}`,
        folder,
        fileName,
        bytecode,
        platform: { bunTarget, runtime },
      });
      if (executable === "bun") linkOtherNames(program, folder);
      return file;
    });
  });
  writeChecksums(out, files);
  let tooLarge = false;
  for (const file of files) {
    const size = await measure(file);
    console.log(`${relative(process.cwd(), file)}  ${sizeText(size)}`);
    tooLarge ||= overBudget(size);
  }
  console.log(`${relative(process.cwd(), join(out, "SHA256SUMS"))}  ${version.version}`);
  if (tooLarge) console.error("build: too large; see tools/build/size.ts");
  return tooLarge ? 1 : 0;
}

/** Links for a program's other names, renamed into place as the program is. Windows has none: there the name is the first argument (`csi-sidecars.exe livenessprobe ...`). */
function linkOtherNames({ name, otherNames }: BuiltProgram, folder: string): void {
  for (const other of otherNames) {
    const [made, path] = [join(folder, `.${other}-${process.pid}`), join(folder, other)];
    symlinkSync(name, made);
    renameSync(made, path);
  }
}
