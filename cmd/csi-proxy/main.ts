import { realProgramEnv } from "./program-env.ts";
import { runCsiProxy } from "./run-csi-proxy.ts";

async function main(): Promise<void> {
  process.exit(await runCsiProxy(realProgramEnv()));
}

void main();
