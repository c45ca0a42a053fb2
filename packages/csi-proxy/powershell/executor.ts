import type { CallOptions } from "../call-options.ts";
import type { WmiFailure } from "../csi-proxy-error.ts";

/** What went wrong inside a script, as PowerShell's error record has it. */
export interface ScriptError {
  readonly message: string;
  /** PowerShell's error category: `ObjectNotFound`. */
  readonly category?: string;
  /** The fully qualified error id. */
  readonly fqid?: string;
  readonly win32?: number;
  readonly wmi?: WmiFailure;
}

/** The one line that a script answers with. */
export type Envelope = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: ScriptError };

/** All parameters are strings, as in an environment; an empty one counts as absent. */
export type OperationParameters = Readonly<Record<string, string>>;

/** Runs operations of the catalogue on the host. Rejects with a `CsiProxyError` where there is no answer. */
export interface Executor {
  run(op: string, params: OperationParameters, options?: CallOptions): Promise<Envelope>;
  close(): Promise<void>;
}
