/** What an HTTP path answers. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** `text/plain; charset=utf-8` unless told. */
  readonly contentType?: string;
}

export interface RouteRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Aborts when the client has gone away. */
  readonly signal: AbortSignal;
}

/** Answers by exact path; a path that ends in a slash answers all below it. */
export type Routes = Readonly<Record<string, (request: RouteRequest) => Answer | Promise<Answer>>>;

/** Whether a component is well: 200 and `ok`, or what is wrong. */
export type HealthCheck = (request: RouteRequest) => Answer | Promise<Answer>;
