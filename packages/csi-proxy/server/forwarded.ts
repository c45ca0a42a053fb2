import { messageOf } from "@csi-sidecars/base";
import { CsiProxyError } from "../csi-proxy-error.ts";

/** The answer of the method that replaced an old one; a failure says to which method the call went. */
export async function forwarded<T>(to: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    const message = `Forward to ${to} failed, err=${messageOf(cause)}`;
    if (!(cause instanceof CsiProxyError)) throw new CsiProxyError("Internal", message, { cause });
    const { code, op, win32, wmi } = cause;
    throw new CsiProxyError(code, message, {
      cause,
      ...(op !== undefined && { op }),
      ...(win32 !== undefined && { win32 }),
      ...(wmi !== undefined && { wmi }),
    });
  }
}
