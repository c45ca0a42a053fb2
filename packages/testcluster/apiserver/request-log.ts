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

/** Every request in the order of arrival. */
export interface RequestLog {
  find(match?: RequestFilter): readonly Readonly<RecordedRequest>[];
  count(match?: RequestFilter): number;
}

/** Selects requests of the log. */
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

/** Selects requests; a field that is left out matches anything. The verb is the API's ("patch") or, for other paths, the HTTP method. */
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

/** What can be matched of a request. */
export interface MatchableRequest {
  /** The API verb, or the lower-case HTTP method of a non-resource URL. */
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  readonly path: string;
}

/** Whether the request is selected. */
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
