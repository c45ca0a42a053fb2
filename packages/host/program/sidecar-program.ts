import type { Clock, Logger } from "@csi-sidecars/base";
import type { DriverCapabilities } from "@csi-sidecars/csi";
import type { Client } from "@csi-sidecars/kube";
import type { Component } from "../component.ts";
import type { Commands, Program, SeparateProgram } from "../flags/program.ts";
import type { KindNeed } from "../kind-need.ts";
import type { RbacRules } from "../rbac-rules.ts";

/** A program made of components: the all-in-one, or one component as upstream ships it. */
export interface SidecarProgram {
  /** `csi-sidecars`, `csi-attacher` */
  readonly name: string;
  readonly version: string;
  /** The commit it was built from, if known. */
  readonly commit?: string;
  readonly form: "all-in-one" | "individual";
  /** What it is and how it is called, for `--help`. */
  readonly about?: string;
  /** Those that can be enabled; exactly one in an individual program. */
  readonly components: readonly Component[];
  /** All-in-one: programs that users may look for in `--controllers`. */
  readonly separate?: readonly SeparateProgram[];
  /** Individual: the components of the other individual programs, whose flags users may take for its own. */
  readonly others?: readonly Component[];
  readonly commands?: Commands;
  /** Logs at start what is missing around the process. Loads its code when called. */
  readonly startReport?: StartReport;
}

/** What a process that starts has to work with. */
export interface StartReportInput {
  readonly program: Pick<SidecarProgram, "name" | "version">;
  /** The enabled components with the rules and the custom kinds that they need. */
  readonly components: readonly { readonly component: Component; readonly rules: RbacRules; readonly kinds: readonly KindNeed[] }[];
  /** Where the namespaced rules apply. */
  readonly namespace: string;
  /** Where the lease is; absent without leader election. */
  readonly leaseNamespace?: string;
  /** Absent where no component talks to the API server. */
  readonly kube?: Client;
  /** The driver, and which of its capabilities the components depend on; absent where no component talks to it. */
  readonly driver?: {
    readonly name: string;
    readonly capabilities: DriverCapabilities;
    readonly kinds: readonly (keyof DriverCapabilities)[];
  };
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Logs what is missing around a process that starts. Nothing waits for it. */
export type StartReport = (input: StartReportInput, log: Logger) => Promise<void>;

/** What the command line of a program is read for. */
export function commandLineOf({ name, form, about, components, separate, others = [], commands }: SidecarProgram): Program {
  const described = { ...(about !== undefined && { about }), ...(commands && { commands }) };
  if (form === "all-in-one") return { form, name, components, ...described, ...(separate && { separate }) };
  const [component, ...more] = components;
  if (!component || more.length > 0) throw new Error(`${name}: an individual program has one component`);
  return { form, name, component, others: others.map((owner) => ({ program: owner.standalone, owner })), ...described };
}
