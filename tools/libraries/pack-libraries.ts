import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LibraryManifest, libraries, manifestOf, packagesImportedBy, publishedManifest, type RootManifest } from "./libraries.ts";

/**
 * Writes each library as an archive for npm into a folder, and returns their paths. In the repository the packages are TypeScript, which
 * Node refuses to run out of `node_modules`; the archives have JavaScript and declarations.
 */
export function packLibraries(root: string, out: string): readonly string[] {
  const build = mkdtempSync(join(tmpdir(), "pack-libraries-"));
  try {
    compileLibraries(root, build);
    mkdirSync(out, { recursive: true });
    return libraries.map((library) => packLibrary(root, join(build, "packages", library), library, out));
  } finally {
    rmSync(build, { recursive: true });
  }
}

/** Only what the entry points of the libraries reach is compiled: no tests. */
function compileLibraries(root: string, build: string): void {
  const entries = libraries.flatMap((library) => {
    const folder = join(root, "packages", library);
    const { name, exports } = manifestOf<LibraryManifest>(folder);
    return Object.entries(exports).map(([path, file]) => ({ import: join(name, path), file: join(folder, file) }));
  });
  const compilerOptions = {
    ...{ noEmit: false, declaration: true, target: "ES2022", module: "NodeNext", moduleResolution: "NodeNext" },
    ...{ rootDir: join(root, "packages"), outDir: join(build, "packages"), rewriteRelativeImportExtensions: true },
    typeRoots: [join(root, "node_modules/@types")],
    // A file that is found through `node_modules` first is somebody else's for the compiler, which does not write it.
    paths: Object.fromEntries(entries.map((entry) => [entry.import, [entry.file]])),
  };
  const project = join(build, "tsconfig.json");
  writeFileSync(
    project,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: [], files: entries.map(({ file }) => file) }),
  );
  run(join(root, "node_modules/.bin/tsc"), ["-p", project], root);
}

function packLibrary(root: string, folder: string, library: string, out: string): string {
  const source = join(root, "packages", library);
  const imported = [...new Bun.Glob("**/*.js").scanSync(folder)].flatMap((file) =>
    packagesImportedBy(readFileSync(join(folder, file), "utf8")),
  );
  const own = manifestOf<LibraryManifest>(source);
  const others = imported.filter((name) => name !== own.name);
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify(publishedManifest(own, manifestOf<RootManifest>(root), others), null, 2)}\n`,
  );
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  if (existsSync(join(source, "README.md"))) copyFileSync(join(source, "README.md"), join(folder, "README.md"));
  const archive = run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", out], folder).trim();
  return join(out, archive);
}

function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${error?.message ?? `${stdout}${stderr}`}`);
  return stdout;
}
