import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { type Clock, dictionary, messageOf } from "@csi-sidecars/base";
import { frameMessage, MessageReader } from "./framing.ts";
import { encodeStatusMessageUpTo, headerText, type Metadata, parseTimeout } from "./headers.ts";
import { cancelStream, internalError } from "./http-mapping.ts";
import type { ClientConnection, HandlerContext, MethodDefinition } from "./service-definition.ts";
import { Code, canceled, deadlineExceeded, GrpcError } from "./status.ts";

/** A method with its handler, as the server finds it by path. */
export interface Route {
  readonly path: string;
  readonly method: MethodDefinition<object, object>;
  readonly handler: (request: object, context: HandlerContext) => unknown;
}

export interface ServerCallOptions {
  readonly clock: Clock;
  readonly maxReceiveBytes: number;
}

/** The longest `grpc-message` that every peer accepts in a header block. */
const maxStatusLength = 16_384;

/** Answers one call: reads its message, runs the handler under the client's deadline, sends messages and status. */
export async function serveCall(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  route: Route,
  connection: ClientConnection,
  options: ServerCallOptions,
): Promise<void> {
  const abort = new AbortController();
  stream.once("close", () => abort.abort(canceled(undefined, "transport")));
  const timeout = headerText(headers["grpc-timeout"]);
  const timeoutMs = timeout === undefined ? undefined : parseTimeout(timeout);
  const timer = timeoutMs === undefined ? undefined : options.clock.after(timeoutMs, () => abort.abort(deadlineExceeded("transport")));
  try {
    if (timeout !== undefined && timeoutMs === undefined) throw new GrpcError(Code.Internal, `malformed grpc-timeout: ${timeout}`);
    const request = decode(route, await readRequest(stream, headerText(headers["grpc-encoding"]), options.maxReceiveBytes));
    const abandon = () => stream.close(internalError);
    const context = { path: route.path, metadata: metadataOf(headers), signal: abort.signal, timeoutMs, connection, abandon };
    if (route.method.responseStream) await sendStream(stream, route, request, context);
    else sendMessage(stream, route, await route.handler(request, context));
  } catch (error) {
    sendStatus(stream, error instanceof GrpcError ? error : new GrpcError(Code.Unknown, messageOf(error)));
  } finally {
    timer?.cancel();
  }
}

/** Ends a call with a status other than OK: in trailers when messages were sent, else in the only header block. */
export function sendStatus(stream: ServerHttp2Stream, { code, details }: GrpcError): void {
  if (stream.destroyed || stream.closed) return;
  // HTTP/2 has no field that begins or ends with a space: the whole message would be lost.
  const message = encodeStatusMessageUpTo(maxStatusLength, details).replace(/^ | $/g, "%20");
  const status = { "grpc-status": String(code), "grpc-message": message };
  if (stream.headersSent) {
    stream.once("wantTrailers", () => stream.sendTrailers(status));
    stream.end();
    return;
  }
  stream.respond({ ":status": 200, "content-type": "application/grpc", ...status }, { endStream: true });
  // Without this a client that still sends its request would keep the stream open.
  if (!stream.readableEnded) stream.close();
}

function sendMessage(stream: ServerHttp2Stream, route: Route, answer: unknown): void {
  const message = encode(route, answer);
  if (stream.destroyed || stream.closed) return;
  begin(stream);
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(message);
}

async function sendStream(stream: ServerHttp2Stream, route: Route, request: object, context: HandlerContext): Promise<void> {
  for await (const answer of route.handler(request, context) as AsyncIterable<unknown>) {
    if (stream.destroyed || stream.closed) return;
    if (!stream.headersSent) begin(stream);
    if (!stream.write(encode(route, answer))) await drained(stream, context.signal);
  }
  if (stream.destroyed || stream.closed) return;
  if (!stream.headersSent) begin(stream);
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end();
}

function begin(stream: ServerHttp2Stream): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
}

function drained(stream: ServerHttp2Stream, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    stream.once("drain", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** The one message of a request. Rejects at the first thing that is wrong, and keeps nothing of what follows. */
function readRequest(stream: ServerHttp2Stream, encoding: string | undefined, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const reader = new MessageReader({ maxBytes, side: "server", encoding });
    let request: Uint8Array | undefined;
    const onMessage = (message: Uint8Array) => {
      if (request) throw notOneMessage("another one");
      request = message;
    };
    const read = (chunk: Uint8Array) => {
      try {
        reader.push(chunk, onMessage);
      } catch (error) {
        stream.off("data", read);
        stream.resume();
        reject(error);
      }
    };
    stream.on("data", read);
    stream.on("end", () => {
      if (request && !reader.partial) resolve(request);
      else reject(notOneMessage(reader.partial ? "a part of one" : "none"));
    });
    stream.on("close", () => reject(new GrpcError(Code.Canceled, "context canceled")));
  });
}

function notOneMessage(received: string): GrpcError {
  return new GrpcError(Code.Internal, `expected one request message, received ${received}`);
}

function decode(route: Route, bytes: Uint8Array): object {
  try {
    return route.method.requestType.decode(bytes);
  } catch (error) {
    throw new GrpcError(Code.Internal, `grpc: error unmarshalling request: ${messageOf(error)}`);
  }
}

function encode(route: Route, answer: unknown): Uint8Array {
  if (typeof answer !== "object" || answer === null) throw new GrpcError(Code.Internal, `${route.path}: the handler gave no answer`);
  const { responseType } = route.method;
  return frameMessage(responseType.encode(responseType.fromPartial?.(answer) ?? answer).finish());
}

const transportHeaders = new Set(["te", "content-type", "user-agent", "grpc-timeout", "grpc-encoding", "grpc-accept-encoding", "date"]);

function metadataOf(headers: IncomingHttpHeaders): Metadata {
  const metadata = dictionary<string>();
  for (const [name, value] of Object.entries(headers)) {
    const first = headerText(value);
    if (first !== undefined && !name.startsWith(":") && !transportHeaders.has(name)) metadata[name] = first;
  }
  return metadata;
}

/** Refuses a request that is not a gRPC call. */
export function refuseHttp(stream: ServerHttp2Stream, status: number): void {
  stream.respond({ ":status": status }, { endStream: true });
  stream.close(cancelStream);
}
