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
