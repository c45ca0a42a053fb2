/** Why an operation failed, in the words of gRPC. */
export type CsiProxyErrorCode =
  | "InvalidArgument"
  | "NotFound"
  | "AlreadyExists"
  | "FailedPrecondition"
  | "Unavailable"
  | "DeadlineExceeded"
  | "Aborted"
  | "Internal";

/** The WMI method that returned a code other than success. */
export interface WmiFailure {
  readonly class: string;
  readonly method: string;
  readonly code: number;
}

export interface CsiProxyErrorDetails {
  readonly cause?: unknown;
  /** The operation of the catalogue that failed. */
  readonly op?: string;
  /** Windows' own error code. */
  readonly win32?: number;
  readonly wmi?: WmiFailure;
}

/** What every method of this package rejects with. Clients of the v1 server get the message, and some drivers match on it. */
export class CsiProxyError extends Error {
  override readonly name = "CsiProxyError";
  readonly code: CsiProxyErrorCode;
  readonly op?: string;
  readonly win32?: number;
  readonly wmi?: WmiFailure;

  constructor(code: CsiProxyErrorCode, message: string, { cause, op, win32, wmi }: CsiProxyErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    if (op !== undefined) this.op = op;
    if (win32 !== undefined) this.win32 = win32;
    if (wmi !== undefined) this.wmi = wmi;
  }
}
