import type { Program } from "@csi-sidecars/host";
import { commandLineOf } from "../../packages/host/program/sidecar-program.ts";
import { clusterPrograms } from "../generate-deploy/cluster-programs.ts";

/** The command lines of the programs that run once in a cluster. */
export const separatePrograms: readonly Program[] = clusterPrograms.map(({ program }) => commandLineOf(program));
