import { messageOf } from "@csi-sidecars/base";
import { isNotFound } from "@csi-sidecars/kube";

/** Limit of one attempt to read or write an object. The driver's time limit has nothing to do with it. */
export const apiTimeoutMs = 30_000;

/** The result of a read or write; `undefined` when the object does not exist (controller-runtime's `IgnoreNotFound`). */
export async function ignoreNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The error with what was being done in front of its message; the cause stays known (`fmt.Errorf("...: %w")`). */
export function wrapError(what: string, cause: unknown): Error {
  return new Error(`${what}: ${messageOf(cause)}`, { cause });
}
