import type { PoolRequest } from "./pool.ts";

/** A request as HTTP/1.1 writes it. Throws TypeError for what would end a line before its time. */
export function requestText({ method, path, headers, body }: PoolRequest, server: URL): string {
  const target = server.pathname === "/" ? path : server.pathname + path;
  if (!/^[\x21-\x7e]+$/.test(target)) throw new TypeError("a request's path must be URL-encoded");
  const length =
    body === undefined
      ? method === "GET" || method === "DELETE"
        ? ""
        : "content-length: 0\r\n"
      : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nhost: ${server.host}\r\n${headerText(headers)}${length}\r\n${body ?? ""}`;
}

const texts = new WeakMap<Readonly<Record<string, string>>, string>();

/** Requests share their headers: each set of them is written and checked once. */
function headerText(headers: Readonly<Record<string, string>>): string {
  let text = texts.get(headers);
  if (text === undefined) {
    text = Object.entries(headers)
      .map(([name, value]) => headerLine(name, value))
      .join("");
    texts.set(headers, text);
  }
  return text;
}

function headerLine(name: string, value: string): string {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[\0\r\n]/.test(value))
    throw new TypeError(`the header ${JSON.stringify(name)} cannot be sent`);
  return `${name}: ${value}\r\n`;
}
