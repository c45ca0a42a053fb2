import { ownValue } from "@csi-sidecars/base";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { type Operation, operations } from "./catalogue.ts";
import type { OperationParameters } from "./executor.ts";

/** The longest value that Windows allows for an environment variable. */
const longestValue = 32_767;

/**
 * The entry of the catalogue. Throws for an operation or a parameter that is not in it, and for values that no environment can hold.
 * The value never becomes part of the error: it may be a secret.
 */
export function checkedOperation(op: string, params: OperationParameters): Operation {
  const operation = ownValue<Operation>(operations, op);
  if (!operation) throw new CsiProxyError("Internal", `${op}: no such operation`, { op });
  for (const [name, value] of Object.entries(params)) {
    const isAcceptable = operation.params.includes(name) && value.length <= longestValue && !value.includes("\0");
    if (!isAcceptable) throw new CsiProxyError("InvalidArgument", `${op}: parameter ${name} is not acceptable`, { op });
  }
  return operation;
}
