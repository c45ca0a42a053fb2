import type { Program } from "@csi-sidecars/host";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { commandLineOf } from "../../packages/host/program/sidecar-program.ts";
import { clusterPrograms } from "../generate-deploy/cluster-programs.ts";

/** The command lines of the programs that run once in a cluster and are no part of the all-in-one. */
export const separatePrograms: readonly Program[] = clusterPrograms
  .filter(({ name }) => !components.some(({ standalone }) => standalone === name))
  .map(({ program }) => commandLineOf(program));
