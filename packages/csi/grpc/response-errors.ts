import type { IncomingHttpHeaders } from "node:http2";
import { decodeStatusMessage, headerText, headerValue, isGrpcContentType } from "./headers.ts";
import { cancelStream, codeOfHttpStatus, codeOfReset, enhanceYourCalm, internalError, refusedStream, resetName } from "./http-mapping.ts";
import { maxHeaderListBytes, type Session } from "./session.ts";
import { Code, GrpcError } from "./status.ts";

/** The error of an answer that is not gRPC at all. */
export function notGrpc(headers: IncomingHttpHeaders & { ":status"?: number }): GrpcError | undefined {
  const httpStatus = headers[":status"] ?? 0;
  const contentType = headerText(headers["content-type"]);
  const isGrpc = isGrpcContentType(contentType);
  if (isGrpc && httpStatus === 200) return undefined;
  const problems = [
    httpStatus === 200 ? undefined : `unexpected HTTP status code received from server: ${httpStatus}`,
    isGrpc
      ? undefined
      : contentType === undefined
        ? "transport: missing content-type field"
        : `transport: received unexpected content-type ${JSON.stringify(contentType)}`,
  ];
  return lostAnswer(codeOfHttpStatus(httpStatus), problems.filter(Boolean).join("; "));
}

const maxStatus = 2 ** 31 - 1;

/** The error of a call that ended with a status; `undefined` when it is OK. `cutOff`: a message before it was not complete. */
export function statusError(headers: IncomingHttpHeaders, cutOff: boolean): GrpcError | undefined {
  const raw = headerText(headers["grpc-status"]);
  if (raw === undefined) return lostAnswer(Code.Internal, "server closed the stream without sending grpc-status");
  const code = /^\d{1,10}$/.test(raw) ? Number(raw) : Number.POSITIVE_INFINITY;
  if (code > maxStatus) return lostAnswer(Code.Unknown, `malformed grpc-status: ${JSON.stringify(raw)}`);
  if (code !== Code.OK) return new GrpcError(code, decodeStatusMessage(headerValue(headers["grpc-message"]) ?? ""));
  return cutOff ? lostAnswer(Code.Internal, "unexpected EOF") : undefined;
}

/** What is known of a stream that ended without a status. */
export interface BrokenStream {
  readonly id?: number | undefined;
  readonly rstCode?: number | undefined;
}

/** The error of a stream that ended without a status; `answered`: the headers of a response had arrived. */
export function brokenStream(session: Session, { id, rstCode = 0 }: BrokenStream, answered: boolean): GrpcError {
  if (id === undefined) return unsent("the connection closed before the call was sent");
  if (rstCode === refusedStream && !answered) return unsent(resetText(rstCode));
  if (session.violated) return lostAnswer(Code.Unavailable, violationText);
  if (session.destroyed || (!session.usable && (rstCode === 0 || rstCode === cancelStream)))
    return lostAnswer(Code.Unavailable, "error reading from server: EOF");
  if (rstCode === 0) return lostAnswer(Code.Internal, "server closed the stream without sending trailers");
  return lostAnswer(codeOfReset(rstCode), resetText(rstCode));
}

const violationText = `error reading from server: it sent what HTTP/2 forbids, or header fields of more than ${maxHeaderListBytes} bytes`;

/** A server that may not send so large a status resets the stream instead, and says no more than these codes. */
const maybeTooLarge: readonly number[] = [internalError, enhanceYourCalm];

function resetText(code: number): string {
  const text = `stream terminated by RST_STREAM with error code: ${resetName(code)}`;
  return maybeTooLarge.includes(code) ? `${text} (perhaps its error message has more than ${maxHeaderListBytes} bytes)` : text;
}

function lostAnswer(code: number, details: string): GrpcError {
  return new GrpcError(code, details, { origin: "transport" });
}

function unsent(details: string): GrpcError {
  return new GrpcError(Code.Unavailable, details, { origin: "unsent" });
}
