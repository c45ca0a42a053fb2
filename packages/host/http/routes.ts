import { ownValue } from "@csi-sidecars/base";

/** What an HTTP path answers. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** `text/plain; charset=utf-8` by default. */
  readonly contentType?: string;
}

export interface RouteRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Aborts when the client has gone away. */
  readonly signal: AbortSignal;
}

export type Route = (request: RouteRequest) => Answer | Promise<Answer>;

/** Answers by exact path; a path that ends in a slash answers all below it. */
export type Routes = Readonly<Record<string, Route>>;

/** Whether a component is healthy: 200 and `ok`, or what is wrong. */
export type HealthCheck = Route;

/** What answers a path: the path itself, or the longest one above it that ends in a slash. */
export function findRoute(routes: Routes, path: string): Route | undefined {
  const exact = ownValue(routes, path);
  if (exact) return exact;
  // By the few keys, not by the path: whoever asks chooses how many slashes it has.
  const above = Object.keys(routes).filter((key) => key.endsWith("/") && path.startsWith(key));
  const [longest] = above.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : ownValue(routes, longest);
}
