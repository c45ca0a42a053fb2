import { type GateTable, gate } from "./gates.ts";

/** The gates of every program of this repository. */
const loggingGates: GateTable = {
  ContextualLogging: gate(true, "beta", "Accepted for compatibility; has no effect."),
  LoggingAlphaOptions: gate(false, "alpha", "Allow the logging options that are in alpha."),
  LoggingBetaOptions: gate(true, "beta", "Allow the logging options that are in beta."),
};

const release = "Give the lease back on a clean exit, so that another replica need not wait until it expires.";

/** What the all-in-one knows beside its components' gates: it gives the lease back unless told otherwise. */
export const allInOneGates: GateTable = { ...loggingGates, ReleaseLeaderElectionOnExit: gate(true, "alpha", release) };

/** What an individual program knows beside its component's gates. */
export const individualGates: GateTable = { ...loggingGates, ReleaseLeaderElectionOnExit: gate(false, "alpha", release) };
