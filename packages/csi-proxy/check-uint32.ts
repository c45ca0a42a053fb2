import { CsiProxyError } from "./csi-proxy-error.ts";

const largest = 2 ** 32 - 1;

/** Whether a value is an integer that fits Windows' disk and partition numbers. */
export function isUint32(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= largest;
}

/** Throws `InvalidArgument` for what cannot be a disk or partition number. `what` names it: `disk number`. */
export function checkUint32(what: string, value: unknown): void {
  if (!isUint32(value)) throw new CsiProxyError("InvalidArgument", `${what} must be an integer from 0 to ${largest}, got ${value}`);
}
