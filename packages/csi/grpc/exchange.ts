import type { ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import { garbageMeter } from "@csi-sidecars/base";
import { MessageReader } from "./framing.ts";
import { headerText, type Metadata } from "./headers.ts";
import { cancelStream } from "./http-mapping.ts";
import { brokenStream, notGrpc, statusError } from "./response-errors.ts";
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
  let trailers: IncomingHttpHeaders | undefined;
  let trailersOnly: IncomingHttpHeaders | undefined;
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
    if (headers["grpc-status"] !== undefined) trailersOnly = headers;
  });
  stream.on("data", (chunk: Uint8Array) => {
    garbageMeter.bytesRead(chunk.length);
    if (ended) return;
    trailersOnly = undefined;
    try {
      reader?.push(chunk, (message) => incoming.message(message));
    } catch (error) {
      abandon(error instanceof GrpcError ? error : new GrpcError(Code.Internal, String(error), { origin: "transport", cause: error }));
    }
  });
  stream.on("trailers", (headers) => {
    trailers = headers;
  });
  const endWithStatus = () => {
    const status = trailers ?? trailersOnly;
    if (status) end(statusError(status, reader?.partial ?? false));
  };
  stream.on("end", endWithStatus);
  stream.on("error", () => {});
  stream.on("close", () => {
    endWithStatus();
    if (!ended) end(brokenStream(session, stream, reader !== undefined));
  });
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
