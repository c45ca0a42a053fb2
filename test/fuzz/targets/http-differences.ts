/** A class of responses that only we refuse, by what our error says. */
interface Refusal {
  readonly says: string;
  /** What the response contains then: without it the refusal is a mistake of ours. */
  readonly contains: RegExp;
  readonly why: string;
}

const unsafeLines = "RFC 9112 allows to refuse them; where parties differ about the end of a line, responses can be smuggled";
const asGo = "net/http of Go refuses it too";

export const stricter: readonly Refusal[] = [
  {
    says: "its head contains a control character, or a line that does not end with CR LF",
    contains: /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/,
    why: unsafeLines,
  },
  { says: "a line of its head does not end with CR LF", contains: /(?<!\r)\n/, why: unsafeLines },
  { says: "a line in its body does not end with CR LF", contains: /chunked.*(?<!\r)\n/is, why: unsafeLines },
  { says: "a header is folded into several lines", contains: /\r\n[ \t]/, why: unsafeLines },
  {
    says: "a header line does not start with a name and a colon",
    // Behind a status line, or as a trailer behind the last chunk.
    contains: /(?:HTTP\/1\.|\r\n0)[^\r\n]*\r\n(?:[^\r\n]+\r\n)*?(?!\r\n|[\w!#$%&'*+.^`|~-]+:)./s,
    why: asGo,
  },
  {
    says: "it does not start with an HTTP/1.1 status line",
    // It may come behind interim responses.
    contains: /^(?:HTTP\/1\.[01] 1\d\d(?:(?!\r\n\r\n).)*\r\n\r\n)*(?!HTTP\/1\.[01] [1-9]\d\d[ \r])/s,
    why: "fetch also takes HTTP/1.3 and a status without a space after it",
  },
  {
    says: "its content encoding is not gzip",
    contains: /content-encoding:(?:(?![ \t]*(?:gzip|identity)[ \t]*\r\n)|.*content-encoding:)/is,
    why: "nothing else was asked for; Go hands such a body over unread",
  },
  { says: "its gzip data is corrupt", contains: /content-encoding:[ \t]*gzip/i, why: asGo },
  {
    says: "its transfer encoding is not chunked",
    contains: /transfer-encoding:(?:(?![ \t]*chunked[ \t]*\r\n)|.*transfer-encoding:)/is,
    why: asGo,
  },
  {
    says: "it is chunked, which HTTP/1.0 does not have",
    contains: /HTTP\/1\.0.*transfer-encoding:/is,
    why: "RFC 9112 calls its end unknown; fetch takes the chunks, Go takes them for text",
  },
  {
    says: "it has a content length although it is chunked",
    contains: /content-length:.*transfer-encoding:|transfer-encoding:.*content-length:/is,
    why: "parties that read one or the other see different ends",
  },
  {
    says: "it has several content lengths",
    contains: /content-length:[ \t]*(\d+)(?!\d)(?:[^\r\n]*,|.*content-length:)(?![ \t]*\1[ \t]*[\r,])/is,
    why: asGo,
  },
  {
    says: "it switches to a protocol that was not asked for",
    contains: /HTTP\/1\.[01] 101/,
    why: "what follows is not HTTP",
  },
  { says: "a line in its body is longer than", contains: /chunked.*[^\n]{4097}/is, why: "bounded memory" },
  {
    says: "the size of a chunk is not a number",
    contains: /[\da-f]{14}/i,
    why: "more than 13 digits, if only zeros in front; Go takes 16",
  },
  {
    says: "the connection was closed",
    contains: /transfer-encoding:[ \t]*chunked|content-encoding:[ \t]*gzip/i,
    why: "the last chunk, the end of its trailers or the gzip data is missing; Go calls that an unexpected EOF",
  },
];

/** Responses that only `fetch` refuses. */
export const laxer: readonly { readonly what: RegExp; readonly why: string }[] = [
  { what: /[0-9a-f][ \t]+(;|\r\n)/i, why: "spaces after the size of a chunk, which Go ignores" },
  { what: /(?:[^\r\n]+\r\n){250}/, why: "more header lines than fetch has room for; ours count in the 256 KiB of the head" },
];

/** Statuses whose body `fetch` does not show, though the server has sent one; Go reads it. */
export const bodiless: ReadonlySet<unknown> = new Set([205]);
