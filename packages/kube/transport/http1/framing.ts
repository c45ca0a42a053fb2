import type { Http1Head } from "./head.ts";
import { MalformedResponseError } from "./response-error.ts";

/** How the end of a body is found: after so many bytes, with the last chunk, or where the connection ends. */
export type BodyFraming = number | "chunked" | "until close";

/**
 * The framing of a response to a method with a body. Where headers contradict each other, somebody between us and the server may see
 * another end of the response than we do: such a response is refused, though net/http of Go ignores a length beside chunks.
 */
export function bodyFraming({ status, minorVersion, header }: Http1Head): BodyFraming {
  const length = contentLength(header("content-length"));
  const coding = header("transfer-encoding");
  if (coding !== undefined) {
    if (coding.toLowerCase() !== "chunked") throw new MalformedResponseError("its transfer encoding is not chunked");
    if (minorVersion === 0) throw new MalformedResponseError("it is chunked, which HTTP/1.0 does not have");
    if (length !== undefined) throw new MalformedResponseError("it has a content length although it is chunked");
  }
  if (status === 204 || status === 304) return 0;
  return coding === undefined ? (length ?? "until close") : "chunked";
}

/** A length may be repeated, as in net/http of Go, but all must be the same. */
function contentLength(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [first = "", ...others] = value.split(", ");
  if (!/^\d{1,15}$/.test(first)) throw new MalformedResponseError("its content length is not a number");
  if (others.some((other) => other !== first)) throw new MalformedResponseError("it has several content lengths");
  return Number(first);
}

/** Whether the connection may carry another response after this one. */
export function keepsAlive({ minorVersion, header }: Http1Head): boolean {
  return (
    minorVersion === 1 &&
    !header("connection")
      ?.toLowerCase()
      .split(/[ \t,]/)
      .includes("close")
  );
}
