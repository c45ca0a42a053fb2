import { Code } from "./status.ts";

/** The code of an answer that is not gRPC (a proxy, a web server), from its HTTP status. */
export function codeOfHttpStatus(status: number): number {
  switch (status) {
    case 400:
      return Code.Internal;
    case 401:
      return Code.Unauthenticated;
    case 403:
      return Code.PermissionDenied;
    case 404:
      return Code.Unimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return Code.Unavailable;
    default:
      return Code.Unknown;
  }
}

/** RST_STREAM with this code says that the sender broke down. */
export const internalError = 2;
/** RST_STREAM with this code promises that the request was not processed. */
export const refusedStream = 7;
/** RST_STREAM with this code says that the sender is no longer interested. */
export const cancelStream = 8;

/** RST_STREAM with this code says that too much was asked of the sender. */
export const enhanceYourCalm = 11;

const resetNames = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
];

/** The name RFC 9113 gives an HTTP/2 error code. */
export function resetName(code: number): string {
  return resetNames[code] ?? `unknown error code 0x${code.toString(16)}`;
}

/**
 * The code of a call whose stream was reset. ENHANCE_YOUR_CALM is Unavailable here, not ResourceExhausted as in the gRPC
 * mapping: for CSI that code means a full storage pool, which no transport can know.
 */
export function codeOfReset(code: number): number {
  switch (code) {
    case refusedStream:
    case enhanceYourCalm:
      return Code.Unavailable;
    case cancelStream:
      return Code.Canceled;
    case 12:
      return Code.PermissionDenied;
    default:
      return Code.Internal;
  }
}
