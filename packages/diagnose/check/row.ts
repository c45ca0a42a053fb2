/** `error`: something needed is missing. `warning`: a feature is, or something could not be found out. */
export type Severity = "ok" | "warning" | "error";

/** One finding of the report. */
export interface Row {
  readonly severity: Severity;
  readonly area: "flags" | "API server" | "API" | "permission" | "driver" | "controller";
  /** The component, or the election, that is concerned. */
  readonly who?: string;
  readonly message: string;
  readonly remedy?: string;
}
