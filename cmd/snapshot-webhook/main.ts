import { commonCommands, runCommand } from "@csi-sidecars/diagnose/commands";
import { realProcessEnv, runProgram } from "@csi-sidecars/host";
import { chooseProgram } from "./choose-program.ts";

async function main(): Promise<void> {
  const env = realProcessEnv();
  const { program, argv } = chooseProgram(process.argv0, env.argv, env.env);
  process.exit((await runCommand(commonCommands, program, { ...env, argv })) ?? (await runProgram(program, { ...env, argv })));
}

void main();
