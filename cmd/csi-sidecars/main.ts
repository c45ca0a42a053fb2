import { realProcessEnv, runProgram } from "@csi-sidecars/host";
import { chooseProgram } from "./choose-program.ts";
import { runCommand } from "./commands.ts";

async function main(): Promise<void> {
  const world = realProcessEnv();
  const { program, argv } = chooseProgram(process.argv0, world.argv);
  process.exit((await runCommand(program, { ...world, argv })) ?? (await runProgram(program, { ...world, argv })));
}

void main();
