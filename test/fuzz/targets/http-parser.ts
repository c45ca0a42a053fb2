import { Http1Parser } from "../../../packages/kube/transport/http1/parser.ts";
import { MalformedResponseError } from "../../../packages/kube/transport/http1/response-error.ts";
import { splits } from "../engine/split.ts";
import { expectSame, Finding, type Target } from "../engine/target.ts";
import { httpResponse, httpTokens } from "../grammars/http-response.ts";

/** What the parser told about a response. */
interface Heard {
  readonly head?: { readonly status: number; readonly headers: readonly (string | undefined)[] };
  /** Of a complete response: how much is told of another one depends on when its mistake arrives. */
  readonly body?: string;
  readonly end: string;
}

export const httpParser: Target = {
  name: "http-parser",
  about: "the HTTP/1.1 parser: the same response, or the same refusal, in whatever pieces the bytes come",
  tokens: httpTokens,
  generate: httpResponse,
  open: () => ({
    check(input) {
      const whole = parse([input]);
      for (const pieces of splits(input)) expectSame("the response depends on how the bytes are split", whole, parse(pieces));
    },
  }),
};

const names = ["content-length", "transfer-encoding", "content-encoding", "connection", "warning", "x-a", "constructor", "__proto__"];

function parse(pieces: readonly Uint8Array[]): Heard {
  let head: Heard["head"];
  const body: Uint8Array[] = [];
  let end: string | undefined;
  const parser = new Http1Parser({
    head({ status, header }) {
      if (head) throw new Finding("a second head");
      head = { status, headers: names.map(header) };
    },
    body(bytes) {
      if (!head || end !== undefined) throw new Finding("a body before the head or after the end");
      body.push(bytes);
    },
    end(reusable) {
      if (end !== undefined) throw new Finding("a second end");
      end = reusable ? "complete" : "complete, with the connection";
    },
  });
  const isComplete = () => {
    try {
      for (const piece of pieces) parser.push(Buffer.from(piece));
      return parser.finish();
    } catch (error) {
      if (!(error instanceof MalformedResponseError)) throw error;
      // What follows a complete response ends the connection, whether it comes with it or later.
      if (end !== undefined) end = "complete, with the connection";
      return end !== undefined;
    }
  };
  if (!isComplete()) return { ...(head && { head }), end: "refused or cut off" };
  return { ...(head && { head }), body: Buffer.concat(body).toString("latin1"), end: end ?? "no end" };
}
