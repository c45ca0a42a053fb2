/** What a client tells about its requests; `metrics/` turns it into client-go's metric families. */
export interface RequestMetrics {
  /** One attempt ended: `code` is the HTTP status, or `<error>` when there was none. */
  attempted(method: string, code: number | "<error>", retry: boolean): void;
  /** A call (all its attempts and waits; not a watch) ended. */
  finished(method: string, seconds: number): void;
  /** An attempt got its token after `seconds`. */
  rateLimited(method: string, seconds: number): void;
  sent(method: string, bytes: number): void;
  received(method: string, bytes: number): void;
}

/** The metric families of a process, to be bound to each client. */
export interface ClientMetrics {
  bind(client: { readonly host: string; readonly name: string }): RequestMetrics;
}
