import { type MatchableRequest, matchesRequest, type RequestMatch } from "./request-match.ts";

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
  clear(): void;
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
    clear() {
      kept = [];
    },
    add(request) {
      kept.push(request);
      if (kept.length > 2 * limit) kept = kept.slice(-limit);
    },
  };
}
