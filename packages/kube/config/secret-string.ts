/** A credential that cannot leak into a log line or an error: every way of printing it redacts the value. */
export class SecretString {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that sends it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "<redacted>";
  }

  toJSON(): string {
    return "<redacted>";
  }
}

/** Whether `token` is allowed in an HTTP header. The runtime's own error about a bad one would print it. */
export function isHeaderSafe(token: string): boolean {
  return /^[\x20-\x7e]+$/.test(token);
}

/**
 * A URL without user name and password, for messages. Nothing is shown of a text without a host: `user:secret@proxy`, which lacks its
 * scheme, is a URL of the scheme `user:`.
 */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return "<not a URL>";
  const { protocol, username, password, host, pathname, search } = new URL(url);
  if (!host) return "<not a URL>";
  if (!username && !password) return url;
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}${search}`;
}
