// `npm run build`: the program for this machine in dist/, with the names of the individual sidecars beside it.
// `npm run build:all`: every platform in dist/<platform>/, with runtimes from the npm registry.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { runtimeFor } from "./runtime.ts";
import { type Target, targets } from "./targets.ts";
import { buildVersion } from "./version.ts";

const root = join(import.meta.dirname, "../..");
const { version, commit } = buildVersion(root);
const individual = components.map(({ standalone }) => standalone);

/** A privileged process reads no file from its working directory, hence no autoload; --smol gives memory back at the price of more collections. */
const compile = [
  "--compile",
  "--minify",
  "--bytecode",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
  "--compile-exec-argv=--smol",
];

function build(folder: string, suffix: string, platform: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `csi-sidecars${suffix}`);
  rmSync(outfile, { force: true });
  const defines = [
    `--define=BUILD_VERSION=${JSON.stringify(version)}`,
    ...(commit ? [`--define=BUILD_COMMIT=${JSON.stringify(commit)}`] : []),
  ];
  const args = ["build", ...compile, ...platform, ...defines, "cmd/csi-sidecars/main.ts", `--outfile=${outfile}`];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`bun ${args.join(" ")} failed:\n${stderr}`);
  if (suffix === "") for (const name of individual) link(join(folder, name));
  const hash = createHash("sha256").update(readFileSync(outfile)).digest("hex");
  console.log(`${outfile.slice(root.length + 1)}  ${(statSync(outfile).size / 1e6).toFixed(1)} MB  sha256:${hash}`);
}

function link(path: string): void {
  rmSync(path, { force: true });
  symlinkSync("csi-sidecars", path);
}

function buildFor(target: Target): void {
  const runtime = runtimeFor(target, process.env);
  build(join(root, "dist", target.name), target.executable === "bun.exe" ? ".exe" : "", [
    `--target=${target.bunTarget}`,
    `--compile-executable-path=${runtime}`,
  ]);
}

build(join(root, "dist"), "", []);
if (process.argv.includes("--all")) for (const target of targets) buildFor(target);
