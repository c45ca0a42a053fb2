import { messageOf, systemErrorCode } from "@csi-sidecars/base";
import { connect } from "../../../packages/kube/transport/connect.ts";
import { Http1Parser } from "../../../packages/kube/transport/http1/parser.ts";
import { configFor } from "../../../packages/kube/transport/testing/expectations.ts";
import { TransportError } from "../../../packages/kube/transport/transport.ts";
import { expectSame, Finding, type Subject, type Target } from "../engine/target.ts";
import { httpResponse, httpTokens } from "../grammars/http-response.ts";
import { bodiless, laxer, stricter } from "./http-differences.ts";
import { type ByteServer, serveBytes } from "./testing/byte-server.ts";

export const httpTransport: Target = {
  name: "http-transport",
  about: "the HTTP transport: what Bun's fetch makes of the same bytes, or an error; the next request gets its own response",
  tokens: httpTokens,
  generate: httpResponse,
  async open(): Promise<Subject> {
    const server = await serveBytes();
    return { check: (input) => check(server, Buffer.from(input)), close: () => server.close() };
  },
};

/** What a client makes of a response. */
type Outcome = { readonly response: readonly unknown[] } | { readonly error: unknown };

const headers = ["x-a", "warning", "retry-after", "constructor"];

async function check(server: ByteServer, input: Buffer): Promise<void> {
  const transport = connect(configFor(server.url), { userAgent: "fuzz" });
  try {
    const read = async (path: string): Promise<Outcome> => {
      const response = await transport.request({ method: "GET", path, timeoutMs: 15_000 });
      return { response: [response.status, ...headers.map((name) => response.header(name) ?? null), await response.text()] };
    };
    const ours = await read(server.respondWith(input, keepsOpen(input))).catch((error: unknown) => ({ error }));
    const next = await read(server.respondWith(witness, true)).catch((error: unknown) => ({ error }));
    expectSame("the request after it did not get its own response", next, { response: [200, "witness", null, null, null, "its own"] });
    compare(ours, await fetched(server.url + server.respondWith(input, false)), input.toString("latin1"));
  } finally {
    transport.close();
  }
}

/** Whether the connection can stay open after these bytes: the response is complete without its end. */
function keepsOpen(input: Buffer): boolean {
  let complete = false;
  const end = (reusable: boolean) => {
    complete = reusable;
  };
  const parser = new Http1Parser({ head() {}, body() {}, end });
  try {
    parser.push(input);
  } catch {
    // What follows after the response is the business of the transport.
  }
  return complete;
}

const witness = Buffer.from("HTTP/1.1 200 OK\r\nx-a: witness\r\ncontent-length: 7\r\n\r\nits own");

async function fetched(url: string): Promise<Outcome> {
  try {
    const response = await fetch(url, { redirect: "manual", keepalive: false, headers: { "accept-encoding": "gzip" } });
    return { response: [response.status, ...headers.map((name) => response.headers.get(name)), await response.text()] };
  } catch (error) {
    return { error };
  }
}

function compare(ours: Outcome, theirs: Outcome, input: string): void {
  if ("error" in ours) {
    if (!(ours.error instanceof TransportError)) throw ours.error;
    if (ours.error.kind === "timeout") throw new Finding("no response and no error");
    const reason = messageOf(ours.error.cause ?? ours.error);
    if (
      "response" in theirs &&
      !bodiless.has(theirs.response[0]) &&
      !stricter.some(({ says, contains }) => reason.includes(says) && contains.test(input))
    )
      throw new Finding(`only ours refuses it: ${reason}\n    ${JSON.stringify(theirs.response)}`);
  } else if ("response" in theirs) {
    const read = ({ response }: { readonly response: readonly unknown[] }) =>
      bodiless.has(response[0]) ? response.slice(0, -1) : response;
    expectSame("fetch reads another response", read(ours), read(theirs));
  } else if (!laxer.some(({ what }) => what.test(input))) {
    throw new Finding(`only fetch refuses it: ${systemErrorCode(theirs.error)}\n    ${JSON.stringify(ours.response)}`);
  }
}
