import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildVersion, compile } from "../../tools/build/compile.ts";
import { runtimeFor, targets } from "../../tools/build/runtime.ts";
import { buildGoClient, grpcVersions } from "../csi-proxy/go-client/build.ts";
import { goClientName, programsOf } from "./testing/ring.ts";
import { mingw, startWine } from "./testing/wine.ts";

const root = join(import.meta.dirname, "../..");

/** Builds everything that the tests run, and a Wine to run it in. Clients in Go are there where Go is. */
export async function buildRing(folder: string, prefix: string): Promise<void> {
  const programs = programsOf(folder);
  mkdirSync(programs, { recursive: true });
  const library = join(programs, "bcryptprimitives.dll");
  runOrThrow(mingw, "-shared", "-s", "-O2", "-o", library, native("bcryptprimitives.c"));
  for (const name of ["powershell", "console-event"]) {
    runOrThrow(mingw, "-s", "-O2", "-o", join(programs, `${name}.exe`), native(`${name}.c`));
  }
  await startWine(prefix);
  // Go takes the library from nowhere else.
  copyFileSync(library, join(prefix, "drive_c/windows/system32/bcryptprimitives.dll"));
  await buildPrograms(programs);
  if (Bun.which("go") === null) return;
  const env = { ...process.env, GOOS: "windows", GOARCH: "amd64" };
  for (const version of grpcVersions) buildGoClient(join(programs, goClientName(version)), version, env);
}

/** Our programs as `npm run build:all` builds them, and those of the tests with the runtime for them. */
async function buildPrograms(programs: string): Promise<void> {
  const target = targets.find(({ name }) => name === "windows-amd64");
  if (!target) throw new Error("tools/build/runtime.ts has no windows-amd64");
  const { bunTarget, bytecode } = target;
  const runtime = await runtimeFor(target, root, process.env);
  for (const program of ["csi-proxy", "csi-sidecars"]) {
    compile({
      ...buildVersion(root),
      root,
      program: `cmd/${program}`,
      folder: programs,
      fileName: `${program}.exe`,
      bytecode,
      platform: { bunTarget, runtime },
    });
  }
  copyFileSync(runtime, join(programs, "bun.exe"));
  await bundle("test/csi-proxy/ts-client/main.ts", join(programs, "ts-client.js"));
  await bundle("test/windows/driver.ts", join(programs, "driver.js"));
}

/** One file: programs under Wine cannot follow the links of `node_modules`. */
async function bundle(source: string, target: string): Promise<void> {
  const { outputs } = await Bun.build({ entrypoints: [join(root, source)], target: "bun" });
  for (const output of outputs) writeFileSync(target, await output.text());
}

const native = (file: string) => join(import.meta.dirname, "native", file);

function runOrThrow(command: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stderr}`);
}
