import { messageOf } from "@csi-sidecars/base";
import { CsiProxyError } from "./csi-proxy-error.ts";

/** Waits for the work; an error of it gets the context in front of its message and keeps its code and details. */
export async function inContext<T>(context: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw withContext(context, error);
  }
}

/** The same error with the context in front of its message. What is not a `CsiProxyError` becomes an internal one. */
export function withContext(context: string, error: unknown): CsiProxyError {
  const message = `${context}${messageOf(error)}`;
  if (!(error instanceof CsiProxyError)) return new CsiProxyError("Internal", message, { cause: error });
  const { code, op, win32, wmi } = error;
  return new CsiProxyError(code, message, {
    cause: error,
    ...(op !== undefined && { op }),
    ...(win32 !== undefined && { win32 }),
    ...(wmi && { wmi }),
  });
}
