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

/** How long an operation may take, and who must know when it goes on for longer than its call. */
export interface OperationOptions extends CallOptions {
  /**
   * Called when the call was rejected while its operation still changes something. The promise resolves when that has ended: whatever
   * protects the disk or the volume must be kept until then. `KeyedLocks` sets it.
   */
  readonly onAbandoned?: (ended: Promise<void>) => void;
}

/** Runs operations of the catalogue on the host. Rejects with a `CsiProxyError` where there is no answer. */
export interface Executor {
  run(op: string, params: OperationParameters, options?: OperationOptions): Promise<Envelope>;
  /** Takes no more operations, and waits for those under way. */
  close(): Promise<void>;
}
