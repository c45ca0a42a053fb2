import { components } from "../../cmd/csi-sidecars/components.ts";
import { individual } from "../../cmd/snapshot-webhook/choose-program.ts";

/** A program that ships: a folder in cmd/, and the name of the file that is built from it. */
export interface BuiltProgram {
  readonly name: string;
  /** Under which the same file does something else: each is a link. */
  readonly otherNames: readonly string[];
}

export const programs: readonly BuiltProgram[] = [
  { name: "csi-sidecars", otherNames: components.map(({ standalone }) => standalone) },
  { name: "snapshot-controller", otherNames: [] },
  { name: "snapshot-webhook", otherNames: individual.map(({ standalone }) => standalone) },
  { name: "csi-proxy", otherNames: [] },
];

/** Built for tests and demonstrations: its image is made, but it is no part of a release. */
export const testPrograms: readonly BuiltProgram[] = [{ name: "hostpathplugin", otherNames: [] }];
