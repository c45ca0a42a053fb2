import type { Program } from "@csi-sidecars/host";
import { program as csiProxy } from "../../cmd/csi-proxy/flags.ts";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { commandLineOf } from "../../packages/host/program/sidecar-program.ts";
import { clusterPrograms } from "../generate-deploy/cluster-programs.ts";

/** A program that is no part of the all-in-one, and where it runs. */
export interface SeparateProgramPage {
  readonly program: Program;
  readonly where: string;
}

/** The command lines of the programs that are no part of the all-in-one. */
export const separatePrograms: readonly SeparateProgramPage[] = [
  ...clusterPrograms
    .filter(({ name }) => !components.some(({ standalone }) => standalone === name))
    .map(({ program }) => ({ program: commandLineOf(program), where: "it runs once in a cluster" })),
  { program: csiProxy, where: "it runs on every Windows node whose drivers use csi-proxy's API" },
];
