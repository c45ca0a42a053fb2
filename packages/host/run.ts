import { realWorld } from "./process/outside-world.ts";
import { runProgram } from "./process/run-program.ts";
import type { SidecarProgram } from "./process/sidecar-program.ts";

/** What a `main.ts` calls: runs the program and ends the process with its exit code. */
export async function run(program: SidecarProgram): Promise<never> {
  process.exit(await runProgram(program, realWorld()));
}
