import type { OperationId } from "../powershell/catalogue.ts";
import type { OperationParameters, ScriptError } from "../powershell/executor.ts";

/** Answers an operation with its data, or throws a `SimulatedScriptError`. */
export type SimulatedOperation = (params: OperationParameters) => unknown;

/** A part of the simulated host: some operations over a state that they share. */
export interface SimulatedPart {
  readonly operations: { readonly [op in OperationId]?: SimulatedOperation };
}

/** Makes an operation answer with an error, as a script that failed. */
export class SimulatedScriptError extends Error {
  readonly scriptError: ScriptError;

  constructor(scriptError: ScriptError) {
    super(scriptError.message);
    this.scriptError = scriptError;
  }
}
