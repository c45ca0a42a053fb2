/** The kinds that a driver's sidecars watch and that others write all the time. */
export const changedKinds = ["volumes", "claims", "attachments", "pods", "nodes"] as const;
export type ChangedKind = (typeof changedKinds)[number];

/** How large a cluster is. */
export interface Size {
  /** Bound and attached, with a claim each. */
  readonly volumes: number;
  readonly nodes: number;
  /** Running, with a volume each. */
  readonly pods: number;
}

/** What the benchmark asks of the API server's process besides what clients ask. */
export type Order =
  /** From now on the cluster is so large; it only grows. */
  | { readonly grow: Size }
  /** Writes `events` objects of the kind, one after the other; each write is an event of the watch. */
  | { readonly change: ChangedKind; readonly events: number }
  /** All connections break, and every watch has to list again. */
  | { readonly restart: true }
  /** How often and how late a user has renewed its lease since then, in milliseconds since the epoch. */
  | { readonly leaseOf: string; readonly since: number };

/** What it says when it is ready. */
export interface Ready {
  /** Names and kubeconfigs of administrators. */
  readonly users: readonly { readonly name: string; readonly kubeconfig: string }[];
}

/** The answer to every order; the longest time between two writes of a lease where that was asked. */
export interface Done {
  readonly longestGapMs: number;
}
