import { isRecord, messageOf, ownValue } from "@csi-sidecars/base";
import { CsiProxyError, type CsiProxyErrorCode } from "../csi-proxy-error.ts";
import { type OperationId, operations } from "./catalogue.ts";
import type { Executor, OperationOptions, OperationParameters, ScriptError } from "./executor.ts";
import { type Redact, redactEnvelope, redactionFor } from "./redact.ts";

/** PowerShell's error categories that mean something to callers. */
const codes: Readonly<Record<string, CsiProxyErrorCode>> = {
  ObjectNotFound: "NotFound",
  PermissionDenied: "FailedPrecondition",
  ResourceExists: "AlreadyExists",
};

/** Runs an operation and returns its data, or rejects with what its script reported: without secrets, also where the executor is a driver's own. */
export async function runOperation(
  executor: Executor,
  op: OperationId,
  params: OperationParameters,
  options?: OperationOptions,
): Promise<unknown> {
  const redact = redactionFor(operations[op], params);
  const answer = await executor.run(op, params, options).catch((error: unknown) => {
    throw redactedFailure(error, op, redact);
  });
  const envelope = redactEnvelope(answer, redact);
  if (!envelope.ok) throw scriptFailure(op, envelope.error);
  return envelope.data;
}

/** The same error, unless it has a secret: then only its code and what is left of its text. */
function redactedFailure(error: unknown, op: OperationId, redact: Redact): unknown {
  const text = messageOf(error);
  const shown = redact(text);
  if (shown === text) return error;
  return new CsiProxyError(error instanceof CsiProxyError ? error.code : "Internal", shown, { op });
}

/** The code of what a script reported. */
export function codeOf({ category }: ScriptError): CsiProxyErrorCode {
  return ownValue(codes, category ?? "") ?? "Internal";
}

function scriptFailure(op: OperationId, error: ScriptError): CsiProxyError {
  const code = codeOf(error);
  const message = error.message || `${op} failed`;
  // Drivers look for these words to tell a missing object from a failure.
  const lacksWords = code === "NotFound" && !message.includes("not found");
  return new CsiProxyError(code, lacksWords ? `${message}: not found` : message, {
    op,
    ...(error.win32 !== undefined && { win32: error.win32 }),
    ...(error.wmi && { wmi: error.wmi }),
  });
}

/** The WMI method behind an operation whose data is `{returnValue}`. */
export interface WmiMethod {
  readonly class: string;
  readonly method: string;
  /** What it is called on, for the error: the volume id, `disk 3`, the share, the iqn or the service name. */
  readonly target: string;
  /** Codes other than 0 that the caller takes for success, or decides on. */
  readonly tolerated?: readonly number[];
}

/** Runs an operation that calls one WMI method, and returns its return value: 0, or a tolerated code. */
export async function runMethod(
  executor: Executor,
  op: OperationId,
  params: OperationParameters,
  method: WmiMethod,
  options?: OperationOptions,
): Promise<number> {
  return returnValueOf(op, await runOperation(executor, op, params, options), method);
}

/** The `returnValue` in the data of an operation; throws where it is neither 0 nor tolerated. */
export function returnValueOf(op: OperationId, data: unknown, { class: className, method, target, tolerated = [] }: WmiMethod): number {
  const value = isRecord(data) ? data.returnValue : undefined;
  const code = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof code !== "number" || !Number.isInteger(code))
    throw new CsiProxyError("Internal", `${op}: the answer has no returnValue`, { op });
  if (code === 0 || tolerated.includes(code)) return code;
  throw new CsiProxyError("Internal", `WMI ${className}.${method} failed (target=${target}): code=${code}`, {
    op,
    wmi: { class: className, method, code },
  });
}
