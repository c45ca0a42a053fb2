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

/** A URL without user name and password, for messages. */
export function redactUrl(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//");
}
