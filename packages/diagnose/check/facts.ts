import type { DriverCapabilities } from "@csi-sidecars/csi";

/** An answer, or why there is none. */
export type Asked<T> = { readonly known: true; readonly value: T } | { readonly known: false; readonly because: string };

/** One thing that a component does at the API server. */
export interface Need {
  /** The component, or the election. */
  readonly who: string;
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent: in the whole cluster. */
  readonly namespace?: string;
  /** Set where a feature is lost without it, and not the component. */
  readonly optional?: string;
}

export type CapabilityKind = keyof DriverCapabilities;

export interface DriverFacts {
  readonly name: string;
  /** Where it was asked for. */
  readonly version?: string;
  /** What its probe says, where it was asked. */
  readonly ready?: boolean;
  readonly capabilities: Readonly<Partial<Record<CapabilityKind, readonly string[]>>>;
}

/** Whether an enabled component can run; `undefined`: not known. */
export interface ComponentFact {
  readonly name: string;
  readonly runs: boolean | undefined;
  readonly because?: string;
}

/** What was found out about the surroundings of a process. Parts are absent where the process has no use for them. */
export interface Facts {
  readonly program: { readonly name: string; readonly version: string };
  readonly components: readonly ComponentFact[];
  /** The API server's version. */
  readonly server?: Asked<string>;
  /** The kinds of the needed groups that are served, as `volumeattachments.storage.k8s.io`. */
  readonly served?: Asked<ReadonlySet<string>>;
  readonly access: readonly { readonly need: Need; readonly allowed: Asked<boolean> }[];
  readonly driver?: Asked<DriverFacts>;
}
