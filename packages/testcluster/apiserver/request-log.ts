/** One request as the server saw it. */
export interface RecordedRequest extends MatchableRequest {
  readonly query: string;
  readonly userAgent: string;
  readonly watch: boolean;
  /** When it arrived, in milliseconds of the server's clock. */
  readonly at: number;
  /** The HTTP status; 0 while it is not answered, or when the connection was cut instead. */
  code: number;
}

/** Every request in the order of arrival, for tests that ask what a client did. */
export interface RequestLog {
  find(match?: RequestFilter): readonly Readonly<RecordedRequest>[];
  count(match?: RequestFilter): number;
}

/** Which requests of the log are meant. */
export interface RequestFilter extends RequestMatch {
  readonly code?: number;
}

/** The log and its writing end. At most `limit` requests are kept; the oldest go first. */
export function requestLog(limit: number): RequestLog & { add(request: RecordedRequest): void } {
  let kept: RecordedRequest[] = [];
  const find = ({ code, ...match }: RequestFilter = {}) =>
    kept.slice(-limit).filter((request) => matchesRequest(match, request) && (code === undefined || request.code === code));
  return {
    find,
    count: (match) => find(match).length,
    add(request) {
      kept.push(request);
      if (kept.length > 2 * limit) kept = kept.slice(-limit);
    },
  };
}

/** Which requests are meant; what is left out matches anything. A verb may be the API's ("patch") or, for other paths, the method's. */
export interface RequestMatch {
  readonly verb?: string;
  readonly group?: string;
  readonly resource?: string;
  /** The empty string means the main resource. */
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string | RegExp;
  readonly user?: string;
  readonly path?: string | RegExp;
}

/** The facts of a request that can be matched. */
export interface MatchableRequest {
  /** The API verb, or the lower-case HTTP method where `path` is no object's. */
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  readonly path: string;
}

/** Whether the request is one of those that are meant. */
export function matchesRequest(match: RequestMatch, request: MatchableRequest): boolean {
  return (
    same(match.verb, request.verb) &&
    same(match.group, request.group) &&
    same(match.resource, request.resource) &&
    same(match.subresource, request.subresource) &&
    same(match.namespace, request.namespace) &&
    same(match.name, request.name) &&
    same(match.user, request.user) &&
    same(match.path, request.path)
  );
}

function same(wanted: string | RegExp | undefined, found: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === "string" ? wanted === found : wanted.test(found);
}
