/** A credential that cannot slip into a log line or an error: every way of printing it hides the value. */
export class Hidden {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that sends it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "<hidden>";
  }

  toJSON(): string {
    return "<hidden>";
  }
}

/** Whether `token` can stand in an HTTP header. The runtime's own complaint about a bad one would print it. */
export function fitsIntoHeader(token: string): boolean {
  return /^[\x20-\x7e]+$/.test(token);
}

/** A URL without user name and password, for messages. */
export function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//");
}
