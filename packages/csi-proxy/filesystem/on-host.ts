import { deferred } from "@csi-sidecars/base";
import { stoppedCall } from "../call-deadline.ts";
import { fileError } from "./file-error.ts";
import type { HostPath } from "./host-path.ts";

/** One call of the file system: what it does, on which path of Windows, and what may stop it. */
export interface HostCall {
  readonly what: string;
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a call with the path that this platform knows. What fails names the path that the caller knows. An aborted call does not wait
 * for the file system: a link to a share that is gone can hold it up for a minute.
 */
export async function onHost<T>({ what, path, signal }: HostCall, hostPath: HostPath, call: (path: string) => Promise<T>): Promise<T> {
  const aborted = deferred<never>();
  const onAbort = () => aborted.reject(stoppedCall(`${what} ${path}`, signal?.reason));
  if (signal?.aborted) throw stoppedCall(`${what} ${path}`, signal.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([call(hostPath(path)), aborted.promise]);
  } catch (error) {
    throw fileError(what, path, error);
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}
