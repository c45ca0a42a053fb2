import { gzipSync } from "node:zlib";
import type { Random } from "../engine/random.ts";

/** Words of HTTP/1.1 responses, and what attacks on parsers of them are made of. */
export const httpTokens: readonly [string, ...string[]] = [
  "\r\n",
  "\r\n\r\n",
  "\n",
  "\r",
  ": ",
  " : ",
  "\t",
  "\r\n ",
  "HTTP/1.1 200 OK\r\n",
  "HTTP/1.0 ",
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 204 No Content\r\n\r\n",
  "Content-Length: 3\r\n",
  "content-length: ",
  "Transfer-Encoding: chunked\r\n",
  "transfer-encoding: identity\r\n",
  "Connection: close\r\n",
  "Content-Encoding: gzip\r\n",
  "0\r\n\r\n",
  "3\r\nabc\r\n",
  ";name=value",
  "ffffffffffffffff",
  "0x3",
  "+3",
  "3, 3",
  "\0",
  "\u00e9",
  "constructor: x\r\n",
  "__proto__: x\r\n",
];

/** A complete response that a correct server may send, at times after interim ones. */
export function httpResponse(random: Random): Uint8Array {
  const interim = random.chance(0.1) ? "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" : "";
  const status = random.pick([200, 200, 200, 201, 404, 409, 500, 204, 304]);
  const headers = random.several(3, () => `${random.pick(["X-A", "x-b", "Warning", "Retry-After"])}:${space(random)}${word(random)}`);
  const body = bodyless(status) ? new Uint8Array() : payload(random);
  const gzip = !bodyless(status) && random.chance(0.15);
  const encoded = gzip ? gzipSync(body) : body;
  if (gzip) headers.push("content-encoding: gzip");
  if (random.chance(0.1)) headers.push(`Connection: ${random.pick(["close", "keep-alive", "Close"])}`);
  const minor = random.chance(0.95) ? 1 : 0;
  const framed: Framed = bodyless(status) ? { body: encoded } : frame(random, encoded, minor);
  const line = `HTTP/1.${minor} ${status}${random.chance(0.9) ? " Some Reason" : ""}`;
  const all = framed.header === undefined ? headers : [...headers, framed.header];
  return Buffer.concat([Buffer.from(`${interim}${[line, ...all].join("\r\n")}\r\n\r\n`, "latin1"), framed.body]);
}

const bodyless = (status: number) => status === 204 || status === 304;

/** A body and the header that says where it ends. */
interface Framed {
  readonly header?: string;
  readonly body: Uint8Array;
}

function frame(random: Random, body: Uint8Array, minor: 0 | 1): Framed {
  const choice = random.below(minor === 1 ? 10 : 5);
  if (choice === 0) return { body };
  if (choice < 5) return { header: `${random.pick(["Content-Length", "content-length"])}:${space(random)}${body.length}`, body };
  return { header: `Transfer-Encoding:${space(random)}chunked`, body: chunked(random, body) };
}

function chunked(random: Random, body: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, 1 + random.below(random.pick([4, 40, 4_000])));
    const digits = random.chance(0.5) ? size.toString(16) : size.toString(16).toUpperCase().padStart(4, "0");
    parts.push(Buffer.from(`${digits}${random.chance(0.1) ? ";a=b" : ""}\r\n`), body.subarray(at, at + size), Buffer.from("\r\n"));
    at += size;
  }
  return Buffer.concat([...parts, Buffer.from(`0\r\n${random.chance(0.1) ? "X-Trailer: yes\r\n" : ""}\r\n`)]);
}

function payload(random: Random): Uint8Array {
  if (random.chance(0.1)) return random.bytes(random.below(60));
  const object = {
    kind: "ConfigMap",
    metadata: { name: word(random) },
    data: { text: "ü€\r\n".repeat(random.below(random.pick([3, 300]))) },
  };
  return Buffer.from(JSON.stringify(object));
}

const space = (random: Random) => random.pick([" ", " ", "", "\t", "  "]);
const word = (random: Random) => random.pick(["yes", "a b", "1", "x".repeat(random.below(200)), '299 - "text"']);
