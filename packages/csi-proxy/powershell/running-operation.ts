import type { OperationId } from "./catalogue.ts";
import type { Envelope, OperationParameters } from "./executor.ts";
import type { Redact } from "./redact.ts";

/** An operation with everything that is needed to run it. */
export interface OperationRequest {
  readonly op: OperationId;
  readonly params: OperationParameters;
  readonly mutates: boolean;
  readonly redact: Redact;
}

/** An operation that was handed to PowerShell. */
export interface RunningOperation {
  /** Rejects with a `CsiProxyError` where there is no answer. */
  readonly reply: Promise<Envelope>;
  /** Resolves when nothing of it runs any more, which may be later than the reply. Never rejects. */
  readonly ended: Promise<void>;
  /** Ends it by force. Never called for an operation that changes something. */
  kill(): void;
}

/** One way to run operations: a process for each, or a session for many. */
export interface OperationLauncher {
  start(request: OperationRequest): RunningOperation;
  /** Ends what it keeps for later operations. */
  close(): Promise<void>;
}
