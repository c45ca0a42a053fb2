import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { connect } from "node:net";
import { AuthorityRewriter } from "../../../packages/csi/grpc/any-authority/authority-rewriter.ts";
import { MalformedHeaders } from "../../../packages/csi/grpc/any-authority/malformed-headers.ts";
import { frame, frameReader } from "../../../packages/csi/grpc/testing/raw-http2-server.ts";
import { tempSocket } from "../../../packages/csi/grpc/testing/temp-socket.ts";
import { splits } from "../engine/split.ts";
import { expectSame, type Subject, type Target } from "../engine/target.ts";
import { frame as frameOf } from "../grammars/http2-frames.ts";
import { http2Requests, http2RequestTokens } from "../grammars/http2-requests.ts";

export const http2RequestTarget: Target = {
  name: "http2-requests",
  about: "requests of any authority: the same frames in whatever pieces they come, and what Bun reads from them as they were",
  tokens: http2RequestTokens,
  generate: http2Requests,
  open,
};

async function open(): Promise<Subject> {
  const server = await readingServer();
  return {
    async check(input) {
      const whole = rewritten([input]);
      for (const pieces of splits(input)) expectSame("what is passed on depends on how the bytes are split", rewritten(pieces), whole);
      if (whole.end !== "passed on") return;
      const bytes = Buffer.from(whole.bytes, "latin1");
      const seen = new Map(await server.requestsIn(bytes));
      for (const [stream, fields] of await server.requestsIn(Buffer.from(input)))
        expectSame(`request ${stream} reads differently`, seen.get(stream), fields);
    },
    close: () => server.close(),
  };
}

function rewritten(pieces: readonly Uint8Array[]): { readonly end: string; readonly bytes: string } {
  const rewriter = new AuthorityRewriter();
  const out: Buffer[] = [];
  try {
    for (const piece of pieces) out.push(...rewriter.rewrite(Buffer.from(piece)));
    return { end: "passed on", bytes: Buffer.concat(out).toString("latin1") };
  } catch (error) {
    if (!(error instanceof MalformedHeaders)) throw error;
    // How much was passed on before depends on the pieces.
    return { end: error.message, bytes: "" };
  }
}

/** The fields of a request but those that say whom it is for. */
type Request = readonly [stream: number, fields: readonly (readonly [name: string, value: unknown])[]];

/** Bun's server, which reads requests and answers none. */
async function readingServer() {
  const socket = await tempSocket();
  let requests: Request[] = [];
  const server = createServer();
  server.on("session", (session) => session.on("error", () => {}));
  server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on("error", () => {});
    requests.push([stream.id ?? 0, Object.entries(headers).filter(([name]) => name !== ":authority" && name !== "host")]);
  });
  await new Promise<void>((resolve) => void server.listen(socket.path, resolve));
  return {
    /** Those that it has read when it has answered a PING after them, or closed the connection. */
    async requestsIn(bytes: Buffer): Promise<readonly Request[]> {
      requests = [];
      const client = connect(socket.path).on("error", () => {});
      const closed = new Promise<void>((resolve) => void client.once("close", resolve));
      const answered = new Promise<void>((resolve) => {
        client.on(
          "data",
          frameReader(
            ({ type, flags, payload }) => type === frame.ping && flags & frame.ack && payload.equals(last) && resolve(),
            "server",
          ),
        );
      });
      client.write(Buffer.concat([wholeFrames(bytes), frameOf(frame.ping, 0, 0, last)]));
      await Promise.race([answered, closed]);
      client.destroy();
      await closed;
      return requests;
    },
    async close() {
      await new Promise<void>((resolve) => void server.close(() => resolve()));
      await socket[Symbol.asyncDispose]();
    },
  };
}

/** Of a PING. */
const last = Buffer.from("the end!");
const magicLength = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".length;

/** Without a frame that is cut off. */
function wholeFrames(bytes: Buffer): Buffer {
  let end = magicLength;
  while (end + 9 <= bytes.length && end + 9 + bytes.readUIntBE(end, 3) <= bytes.length) end += 9 + bytes.readUIntBE(end, 3);
  return bytes.subarray(0, end);
}
