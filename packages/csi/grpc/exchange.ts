import type { ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import { MessageReader } from "./framing.ts";
import { decodeStatusMessage, headerText, type Metadata } from "./headers.ts";
import { cancelStream, codeOfHttpStatus, codeOfReset, refusedStream, resetName } from "./http-mapping.ts";
import type { Session } from "./session.ts";
import { Code, GrpcError } from "./status.ts";

/** A request: the path, one framed message, and the headers. */
export interface Outgoing {
  readonly path: string;
  readonly body: Uint8Array;
  readonly userAgent: string;
  readonly timeout?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly maxReceiveBytes: number;
}

/** Receives the response: messages, then exactly one end. */
export interface Incoming {
  message(bytes: Uint8Array): void;
  /** `undefined` means status OK. */
  end(error: GrpcError | undefined): void;
}

/** A request in flight. */
export interface Exchange {
  /** Resets the stream with CANCEL; `end` is not called after this. */
  cancel(): void;
  pause(): void;
  resume(): void;
}

/** Sends one request on a session and reads the response: headers, messages, trailers, or whatever came instead. */
export function exchange(session: Session, outgoing: Outgoing, incoming: Incoming): Exchange {
  const stream = openStream(session, outgoing);
  if (!stream) {
    queueMicrotask(() => incoming.end(new GrpcError(Code.Unavailable, "the connection is draining", { origin: "unsent" })));
    return { cancel() {}, pause() {}, resume() {} };
  }
  let ended = false;
  let status: IncomingHttpHeaders | undefined;
  let reader: MessageReader | undefined;

  const end = (error: GrpcError | undefined) => {
    if (ended) return;
    ended = true;
    incoming.end(error);
  };
  const abandon = (error: GrpcError) => {
    end(error);
    stream.close(cancelStream);
  };
  stream.on("response", (headers) => {
    const rejection = notGrpc(headers);
    if (rejection) {
      abandon(rejection);
      return;
    }
    reader = new MessageReader({ maxBytes: outgoing.maxReceiveBytes, side: "client", encoding: headerText(headers["grpc-encoding"]) });
    if (headers["grpc-status"] !== undefined) status = headers;
  });
  stream.on("data", (chunk: Uint8Array) => {
    if (ended) return;
    try {
      reader?.push(chunk, (message) => incoming.message(message));
    } catch (error) {
      abandon(error instanceof GrpcError ? error : new GrpcError(Code.Internal, String(error), { origin: "transport", cause: error }));
    }
  });
  stream.on("trailers", (trailers) => {
    status = trailers;
  });
  stream.on("end", () => {
    if (status) end(statusError(status, reader));
  });
  stream.on("error", () => {});
  stream.on("close", () => end(status ? statusError(status, reader) : broken(session, stream, reader !== undefined)));
  stream.end(outgoing.body);

  return {
    cancel() {
      ended = true;
      stream.close(cancelStream);
    },
    pause: () => stream.pause(),
    resume: () => stream.resume(),
  };
}

function openStream(session: Session, { path, userAgent, timeout, metadata }: Outgoing): ClientHttp2Stream | undefined {
  if (!session.usable) return undefined;
  try {
    return session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      "user-agent": userAgent,
      te: "trailers",
      ...(timeout === undefined ? undefined : { "grpc-timeout": timeout }),
      ...metadata,
    });
  } catch {
    return undefined;
  }
}

/** The error of an answer that is not gRPC at all. */
function notGrpc(headers: IncomingHttpHeaders & { ":status"?: number }): GrpcError | undefined {
  const httpStatus = headers[":status"] ?? 0;
  const contentType = headers["content-type"];
  if (contentType?.startsWith("application/grpc") && httpStatus === 200) return undefined;
  const problems = [
    httpStatus === 200 ? undefined : `unexpected HTTP status code received from server: ${httpStatus}`,
    contentType?.startsWith("application/grpc")
      ? undefined
      : contentType === undefined
        ? "transport: missing content-type field"
        : `transport: received unexpected content-type ${JSON.stringify(contentType)}`,
  ];
  return new GrpcError(codeOfHttpStatus(httpStatus), problems.filter(Boolean).join("; "), { origin: "transport" });
}

function statusError(headers: IncomingHttpHeaders, reader: MessageReader | undefined): GrpcError | undefined {
  const raw = headerText(headers["grpc-status"]);
  if (raw === undefined || !/^\d+$/.test(raw)) {
    const details =
      raw === undefined ? "server closed the stream without sending grpc-status" : `malformed grpc-status: ${JSON.stringify(raw)}`;
    return new GrpcError(raw === undefined ? Code.Internal : Code.Unknown, details, { origin: "transport" });
  }
  const code = Number(raw);
  if (code !== Code.OK) return new GrpcError(code, decodeStatusMessage(headerText(headers["grpc-message"]) ?? ""));
  return reader?.partial ? new GrpcError(Code.Internal, "unexpected EOF", { origin: "transport" }) : undefined;
}

/** The error of a stream that ended without a status. */
function broken(session: Session, stream: ClientHttp2Stream, answered: boolean): GrpcError {
  if (stream.id === undefined)
    return new GrpcError(Code.Unavailable, "the connection closed before the call was sent", { origin: "unsent" });
  const reset = stream.rstCode ?? 0;
  if (reset === refusedStream && !answered) {
    return new GrpcError(Code.Unavailable, "stream terminated by RST_STREAM with error code: REFUSED_STREAM", { origin: "unsent" });
  }
  if (session.destroyed || (!session.usable && (reset === 0 || reset === cancelStream)))
    return new GrpcError(Code.Unavailable, "error reading from server: EOF", { origin: "transport" });
  if (reset === 0) return new GrpcError(Code.Internal, "server closed the stream without sending trailers", { origin: "transport" });
  return new GrpcError(codeOfReset(reset), `stream terminated by RST_STREAM with error code: ${resetName(reset)}`, { origin: "transport" });
}
