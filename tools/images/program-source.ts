import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildVersion, compile } from "../build/compile.ts";
import { runtimeFor, targets } from "../build/runtime.ts";
import type { Platform } from "./description.ts";

/** Programs of this repository, compiled into a folder, each once. */
export function compiledPrograms(root: string, folder: string, version: BuildVersion, env: NodeJS.ProcessEnv) {
  const made = new Map<string, Promise<Uint8Array>>();
  return (name: string, platform: Platform): Promise<Uint8Array> => {
    const key = `${platform} ${name}`;
    const program = made.get(key) ?? compileFor(name, platform);
    made.set(key, program);
    return program;
  };

  async function compileFor(program: string, platform: Platform): Promise<Uint8Array> {
    const target = targets.find((each) => each.name === platform.replace("/", "-"));
    if (!target) throw new Error(`no runtime for ${platform}: see tools/build/runtime.ts`);
    const runtime = await runtimeFor(target, root, env);
    const path = compile({
      ...version,
      root,
      program: `cmd/${program}`,
      folder: join(folder, target.name),
      fileName: target.executable === "bun.exe" ? `${program}.exe` : program,
      bytecode: target.bytecode,
      platform: { bunTarget: target.bunTarget, runtime },
    });
    return readFileSync(path);
  }
}
