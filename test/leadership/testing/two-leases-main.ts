import { realProcessEnv, runProgram } from "@csi-sidecars/host";
import { twoLeases } from "./two-leases.ts";

void runProgram(twoLeases, realProcessEnv()).then((code) => process.exit(code));
