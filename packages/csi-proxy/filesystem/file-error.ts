import { messageOf, systemErrorCode } from "@csi-sidecars/base";
import { CsiProxyError, type CsiProxyErrorCode } from "../csi-proxy-error.ts";

const codes: ReadonlyMap<string, CsiProxyErrorCode> = new Map([
  ["ENOENT", "NotFound"],
  ["ENOTDIR", "NotFound"],
  ["EEXIST", "AlreadyExists"],
  ["ENOTEMPTY", "FailedPrecondition"],
  ["EACCES", "FailedPrecondition"],
  ["EPERM", "FailedPrecondition"],
  ["EBUSY", "FailedPrecondition"],
  ["ERR_INVALID_ARG_VALUE", "InvalidArgument"],
]);

/** Whether an error says that there is nothing at a path. Windows says so too where a parent is a file. */
export function isMissing(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** What failed on which path, as Windows knows it: `mkdir C:\data: EACCES: permission denied`. */
export function fileError(what: string, path: string, error: unknown): CsiProxyError {
  if (error instanceof CsiProxyError) return error;
  const code = codes.get(systemErrorCode(error) ?? "") ?? "Internal";
  // The rest of a system error's message names the path as this platform knows it.
  const [reason = ""] = messageOf(error).split(/, \w+ '/);
  return new CsiProxyError(code, `${what} ${path}: ${reason}${code === "NotFound" ? ": not found" : ""}`, { cause: error });
}
