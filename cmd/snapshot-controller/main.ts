import { commonCommands, runCommand } from "@csi-sidecars/diagnose/commands";
import { realProcessEnv, runProgram } from "@csi-sidecars/host";
import { program } from "./program.ts";

async function main(): Promise<void> {
  const env = realProcessEnv();
  process.exit((await runCommand(commonCommands, program, env)) ?? (await runProgram(program, env)));
}

void main();
