import { Client, credentials, logVerbosity, setLogVerbosity } from "@grpc/grpc-js";
import { Channel } from "../../../packages/csi/grpc/channel.ts";
import { callUnary } from "../../../packages/csi/grpc/invoke.ts";
import { isProtocolViolation } from "../../../packages/csi/grpc/session.ts";
import { Code, codeName, type ErrorOrigin, GrpcError } from "../../../packages/csi/grpc/status.ts";
import { frame, rawHttp2Server } from "../../../packages/csi/grpc/testing/raw-http2-server.ts";
import { tempSocket } from "../../../packages/csi/grpc/testing/temp-socket.ts";
import { Finding, type Subject, type Target } from "../engine/target.ts";
import { grpcResponse, http2Tokens } from "../grammars/http2-frames.ts";

export const grpcClient: Target = {
  name: "grpc-client",
  about: "a unary gRPC call: the message or status that grpc-js makes of the same frames, or an error of the transport",
  tokens: http2Tokens,
  generate: grpcResponse,
  open,
};

/** How a call ended; a failure that grpc-js reports has no origin. */
type Outcome =
  | { readonly message: string }
  | { readonly code: string; readonly details: string; readonly origin?: ErrorOrigin; readonly message?: undefined };

const path = "/fuzz.Fuzz/Call";
const maxBytes = 4 * 1024 * 1024;

/** A server that answers the first request of each connection with the input and hangs up: every call ends by itself. */
async function open(): Promise<Subject> {
  setLogVerbosity(logVerbosity.NONE);
  const socket = await tempSocket();
  let bytes = Buffer.alloc(0);
  const server = await rawHttp2Server(socket.path, {
    onFrame({ type }, connection) {
      if (type === frame.headers) connection.socket.end(bytes);
    },
  });
  return {
    async check(input) {
      bytes = Buffer.from(input);
      const ours = await call(socket.path);
      compare(ours, await callByGrpcJs(socket.path));
      for (const connection of server.connections.splice(0)) connection.socket.destroy();
    },
    isKnown: (stray, input) => isProtocolViolation(stray) && opensStream(Buffer.from(input)),
    async close() {
      await server.close();
      await socket[Symbol.asyncDispose]();
    },
  };
}

/**
 * Whether a server opens a stream by itself, without a promise. Bun makes a stream object of it that nobody can listen to, so that the
 * error of the connection reaches the process, which ignores it.
 */
function opensStream(frames: Buffer): boolean {
  for (let at = 0; at + 9 <= frames.length; at += 9 + frames.readUIntBE(at, 3)) {
    if (frames[at + 3] === frame.headers && frames.readUInt32BE(at + 5) % 2 === 0) return true;
  }
  return false;
}

async function call(socket: string): Promise<Outcome> {
  const channel = new Channel({ target: { kind: "unix", path: socket }, maxReceiveBytes: maxBytes });
  try {
    const message = await callUnary(channel, path, new Uint8Array(), { timeoutMs: 15_000, waitForReady: true });
    return { message: Buffer.from(message).toString("base64") };
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    if (error.code === Code.DeadlineExceeded && error.origin !== "peer") throw new Finding("no response and no error");
    return { code: error.codeName, details: error.details, origin: error.origin };
  } finally {
    channel.close();
  }
}

async function callByGrpcJs(socket: string): Promise<Outcome> {
  const client = new Client(`unix:${socket}`, credentials.createInsecure(), {
    "grpc.enable_retries": 0,
    "grpc.use_local_subchannel_pool": 1,
    "grpc.max_receive_message_length": maxBytes,
  });
  const bytes = (buffer: Buffer) => buffer;
  try {
    return await new Promise<Outcome>((resolve) => {
      client.makeUnaryRequest(path, bytes, bytes, Buffer.alloc(0), { deadline: Date.now() + 5_000 }, (error, value) =>
        resolve(
          error ? { code: codeName(error.code), details: error.details } : { message: (value ?? Buffer.alloc(0)).toString("base64") },
        ),
      );
    });
  } finally {
    client.close();
  }
}

/** What our client refuses and grpc-js takes, by our message. grpc-go refuses all of it. */
const stricter: readonly { readonly details: RegExp; readonly why: string }[] = [
  { details: /unexpected HTTP status code/, why: "a proxy answered, whatever it says about gRPC" },
  { details: /(unexpected|missing) content-type/, why: "what follows is not gRPC" },
  { details: /^grpc: received unexpected payload format/, why: "grpc-js takes a flag other than 1 for no compression" },
  { details: /^malformed grpc-status/, why: "grpc-js takes an empty one for OK" },
  { details: /^unexpected EOF$/, why: "a whole message is followed by the beginning of another one" },
];

function compare(ours: Outcome, theirs: Outcome): void {
  const both = `\n    ${JSON.stringify(ours)}\n    ${JSON.stringify(theirs)}`;
  if (ours.message !== undefined) {
    if (ours.message !== theirs.message) throw new Finding(`only ours takes it for a response${both}`);
  } else if (ours.origin === "peer") {
    if (theirs.message !== undefined || ours.code !== theirs.code) throw new Finding(`only ours takes it for this status${both}`);
  } else if (theirs.message !== undefined && !stricter.some(({ details }) => details.test(ours.details))) {
    throw new Finding(`only grpc-js takes it for a response${both}`);
  }
}
