import type { Component } from "../component.ts";
import type { Commands, Program, SeparateProgram } from "../flags/program.ts";
import type { StartReport } from "../manager/start-report.ts";

/** A program made of components: the all-in-one, or one component as upstream ships it. */
export interface SidecarProgram {
  /** `csi-sidecars`, `csi-attacher` */
  readonly name: string;
  readonly version: string;
  /** The commit it was built from, if known. */
  readonly commit?: string;
  readonly form: "all-in-one" | "individual";
  /** Those that can be enabled; exactly one in an individual program. */
  readonly components: readonly Component[];
  /** All-in-one: programs that users may look for in `--controllers`. */
  readonly separate?: readonly SeparateProgram[];
  readonly commands?: Commands;
  /** Logs at start what is missing around the process. Loads its code when called. */
  readonly startReport?: StartReport;
}

/** What the command line of a program is read for. */
export function commandLineOf({ name, form, components, separate, commands }: SidecarProgram): Program {
  if (form === "all-in-one") return { form, name, components, ...(separate && { separate }), ...(commands && { commands }) };
  const [component, ...others] = components;
  if (!component || others.length > 0) throw new Error(`${name}: an individual program has one component`);
  return { form, name, component, ...(commands && { commands }) };
}
