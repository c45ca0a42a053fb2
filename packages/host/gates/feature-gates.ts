import { dictionary } from "@csi-sidecars/base";
import type { Resource } from "@csi-sidecars/kube";

/** The maturity of a feature: decides what `AllAlpha` and `AllBeta` mean, and whether setting it is worth a warning. */
export type Stage = "alpha" | "beta" | "GA";

/** A feature that `--feature-gates` enables or disables. */
export interface Gate {
  readonly initial: boolean;
  readonly stage: Stage;
  readonly help: string;
  /** The kind that the feature is about: where the cluster does not serve it, the feature is disabled, unless the user named the gate. */
  readonly needs?: Resource;
}

/** Gates by their name, which is case-sensitive. */
export type GateTable = Readonly<Record<string, Gate>>;

/** Which features are enabled. */
export interface Gates<Name extends string = string> {
  /** Asking for a gate that no table declares is a mistake of the program, not of the user: it throws. */
  enabled(name: Name): boolean;
  /** Whether the user named the gate: such a choice is not overruled by what the cluster has or lacks. */
  explicit(name: Name): boolean;
}

export function gate(initial: boolean, stage: Stage, help: string, more: Pick<Gate, "needs"> = {}): Gate {
  return { initial, stage, help, ...more };
}

/** The gates of several tables. Components may declare the same gate, if they declare it alike; each says what it does there. */
export function joinGates(tables: readonly GateTable[]): GateTable {
  const joined = dictionary<Gate>();
  for (const [name, spec] of tables.flatMap((table) => Object.entries(table))) {
    const before = joined[name];
    if (before && (before.initial !== spec.initial || before.stage !== spec.stage)) {
      throw new Error(`feature gate ${name} is declared in two ways`);
    }
    joined[name] = before ? { ...before, help: `${before.help} ${spec.help}` } : spec;
  }
  return joined;
}

/** The gates of every program of this repository. */
const loggingGates: GateTable = {
  ContextualLogging: gate(true, "beta", "Accepted for compatibility; has no effect."),
  LoggingAlphaOptions: gate(false, "alpha", "Allow the logging options that are in alpha."),
  LoggingBetaOptions: gate(true, "beta", "Allow the logging options that are in beta."),
};

const release = "Release the lease on a clean exit, so that another replica need not wait until it expires.";

/** The all-in-one's gates beside those of its components: it releases the lease by default. */
export const allInOneGates: GateTable = { ...loggingGates, ReleaseLeaderElectionOnExit: gate(true, "alpha", release) };

/** An individual program's gates beside those of its component. */
export const individualGates: GateTable = { ...loggingGates, ReleaseLeaderElectionOnExit: gate(false, "alpha", release) };
