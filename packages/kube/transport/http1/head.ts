import { MalformedResponseError } from "./response-error.ts";

/** Status line and headers of a response. */
export interface Http1Head {
  readonly status: number;
  /** HTTP/1.0 or HTTP/1.1. */
  readonly minorVersion: 0 | 1;
  /** The value of a header, by its lower-case name; repeated ones joined by commas. */
  header(name: string): string | undefined;
}

const [tab, lineFeed, carriageReturn, space, colon] = [0x09, 0x0a, 0x0d, 0x20, 0x3a];

/** By character code: whether it may be in a header's name, as in net/http of Go. */
const inNames = Uint8Array.from({ length: 256 }, (_, code) => (/[\w!#$%&'*+.^`|~-]/.test(String.fromCharCode(code)) ? 1 : 0));
/** By character code: whether it may be in a header's value. Control characters may not, NUL and a CR of its own among them. */
const inValues = Uint8Array.from({ length: 256 }, (_, code) => ((code >= space && code !== 0x7f) || code === tab ? 1 : 0));

/**
 * Parses a head, from the status line to the line end before the empty line. It is stricter than net/http of Go, which accepts lines
 * that end with LF alone, joins folded lines, and ignores headers with a space before the colon: proxies disagree about these.
 */
export function parseHead(text: string): Http1Head {
  const start = /^HTTP\/1\.([01]) ([1-9]\d\d)[ \r]/.exec(text);
  if (!start) throw new MalformedResponseError("it does not start with an HTTP/1.1 status line");
  const fields = endOfValue(text, start[0].length - 1);
  for (let at = fields; at < text.length; ) at = endOfField(text, at);
  return { status: Number(start[2]), minorVersion: start[1] === "1" ? 1 : 0, header: (name) => findHeader(text, fields, name) };
}

/** Checks the header line at `at`; returns where the next one starts. */
export function endOfField(text: string, at: number): number {
  let end = at;
  while (inNames[text.charCodeAt(end)]) end++;
  if (end > at && text.charCodeAt(end) === colon) return endOfValue(text, end + 1);
  throw new MalformedResponseError(
    isBlank(text.charCodeAt(at)) ? "a header is folded into several lines" : "a header line does not start with a name and a colon",
  );
}

function endOfValue(text: string, at: number): number {
  let end = at;
  while (inValues[text.charCodeAt(end)]) end++;
  if (text.charCodeAt(end) === carriageReturn && text.charCodeAt(end + 1) === lineFeed) return end + 2;
  throw new MalformedResponseError("its head contains a control character, or a line that does not end with CR LF");
}

/** Few headers are ever read: each is searched on demand. */
function findHeader(text: string, fields: number, name: string): string | undefined {
  let found: string | undefined;
  for (let at = fields; at < text.length; ) {
    const end = text.indexOf("\r\n", at);
    if (text.charCodeAt(at + name.length) === colon && text.slice(at, at + name.length).toLowerCase() === name) {
      const value = trimmed(text, at + name.length + 1, end);
      found = found === undefined ? value : `${found}, ${value}`;
    }
    at = end + 2;
  }
  return found;
}

/** Without the spaces and tabs around it. `trim()` would also remove a no-break space, which belongs to the value. */
function trimmed(text: string, from: number, to: number): string {
  let [start, end] = [from, to];
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === space || code === tab;
}
