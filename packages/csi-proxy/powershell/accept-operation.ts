import { CsiProxyError } from "../csi-proxy-error.ts";
import { type Operation, type OperationId, operations } from "./catalogue.ts";
import type { OperationParameters } from "./executor.ts";
import { redactionFor } from "./redact.ts";
import type { OperationRequest } from "./running-operation.ts";

/** The longest value that Windows allows for an environment variable. */
const longestValue = 32_767;

/**
 * Looks an operation up in the catalogue. Throws for an operation or a parameter that is not in it, and for values that no environment
 * can hold. The value never becomes part of the error: it may be a secret.
 */
export function acceptOperation(op: string, params: OperationParameters): OperationRequest {
  if (!isOperation(op)) throw new CsiProxyError("Internal", `${op}: no such operation`, { op });
  const operation: Operation = operations[op];
  for (const [name, value] of Object.entries(params)) {
    const isAcceptable = operation.params.includes(name) && value.length <= longestValue && !value.includes("\0");
    if (!isAcceptable) throw new CsiProxyError("InvalidArgument", `${op}: parameter ${name} is not acceptable`, { op });
  }
  return { op, params, mutates: operation.mutates, redact: redactionFor(operation, params) };
}

function isOperation(op: string): op is OperationId {
  return Object.hasOwn(operations, op);
}
