import type { CodeName } from "@csi-sidecars/csi";

/** A status that a rule answers. */
export interface FaultError {
  readonly code: CodeName;
  readonly message?: string;
}

/** What befalls a call. Several fields together happen in the order in which they stand here. */
export interface FaultAction {
  readonly delayMs?: number;
  /** Holds the call until it is released, its deadline passes or the client gives up. */
  readonly hang?: boolean;
  /** Ends the process with this code (in a test's process: kills the driver). */
  readonly crash?: number;
  /** Closes the connection without an answer. */
  readonly dropConnection?: boolean;
  readonly error?: FaultError;
  /** Does the work at once and answers a code until a time after the first call: a slow storage array. */
  readonly background?: { readonly doneAfterMs: number; readonly code?: CodeName; readonly message?: string };
  /** Merged into the answer, by the names of the .proto; null takes a field away. */
  readonly patchResponse?: Readonly<Record<string, unknown>>;
  /** Of a streamed answer: so many messages, then an error. */
  readonly corruptStream?: FaultError & { readonly messages: number };
}

/** A test of a request's field: equal to a value, or matching an expression. */
export type FieldTest = string | number | boolean | { readonly regex: string };

/** Which calls are disturbed, and how. */
export interface FaultRule {
  /** Shown in records of calls; the rule's place in the list unless given. */
  readonly name?: string;
  /** `CreateVolume`, or `*`. */
  readonly method: string;
  /** Tests by path: `volume_content_source.snapshot.snapshot_id`. */
  readonly match?: Readonly<Record<string, FieldTest>>;
  /** The first so many matches are left alone. */
  readonly skip?: number;
  /** How often it applies: without end unless given. */
  readonly times?: number;
  /** The share of matches it applies to, 0 to 1; `seed` repeats the choice. */
  readonly probability?: number;
  readonly seed?: number;
  /** `before`: nothing was done. `after`: the work is done and durable, only the answer is disturbed. */
  readonly phase?: "before" | "after";
  readonly action: FaultAction;
}
