import { messageOf } from "@csi-sidecars/base";
import type { CallOptions } from "@csi-sidecars/kube";

/** Limit of one attempt to read or write an object. `--timeout` is for calls to the driver only. */
const apiTimeoutMs = 30_000;

/** The options of a read or write in a reconcile. */
export function apiCallOptions(signal: AbortSignal): CallOptions {
  return { signal, timeoutMs: apiTimeoutMs };
}

/** The error with what was being done in front of its message; the cause stays known (`fmt.Errorf("...: %w")`). */
export function wrapError(what: string, cause: unknown): Error {
  return new Error(`${what}: ${messageOf(cause)}`, { cause });
}
