import type { Status } from "./client.ts";
import { asStatus } from "./parse-status.ts";
import { StatusError } from "./status-error.ts";

/** What a request was about, for the messages of {@link statusErrorOf}. */
export interface RequestSubject {
  readonly method: string;
  readonly group?: string;
  readonly plural?: string;
  readonly name?: string;
}

/** A response outside 2xx. */
export interface ErrorResponse {
  readonly code: number;
  readonly contentType: string | undefined;
  readonly body: string;
  readonly retryAfterSeconds?: number;
}

/**
 * The error for a response outside 2xx: the server's own Status if it sent one, else a generic Status in the words of client-go
 * (proxies and load balancers respond with HTML or plain text).
 */
export function statusErrorOf(response: ErrorResponse, subject: RequestSubject): StatusError {
  const status = parseStatus(response.body);
  return new StatusError(status ? { ...status, code: status.code ?? response.code } : genericStatus(response, subject));
}

/** The body as a Status that reports a failure, if it is one. */
function parseStatus(body: string): Status | undefined {
  if (!body.startsWith("{")) return undefined;
  try {
    const parsed = asStatus(JSON.parse(body));
    return parsed?.kind === "Status" && parsed.status !== "Success" ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function genericStatus(response: ErrorResponse, subject: RequestSubject): Status {
  const { code, retryAfterSeconds } = response;
  const said = serverMessage(response);
  const { reason, message } = genericReason(code, subject.method, said);
  return {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
    message: message + suffix(subject),
    details: {
      ...(subject.group && { group: subject.group }),
      ...(subject.plural && { kind: subject.plural }),
      ...(subject.name && { name: subject.name }),
      causes: [{ reason: "UnexpectedServerResponse", message: said }],
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  };
}

const maxQuotedBytes = 2048;

/** Only text is quoted; anything else is "unknown". */
function serverMessage({ contentType, body }: ErrorResponse): string {
  if (contentType && !/^\s*text\//i.test(contentType)) return "unknown";
  if (body.length <= maxQuotedBytes / 4) return body.trim();
  return new TextDecoder().decode(new TextEncoder().encode(body).subarray(0, maxQuotedBytes)).trim();
}

function suffix({ method, group, plural, name }: RequestSubject): string {
  if (!plural) return "";
  const resource = group ? `${plural}.${group}` : plural;
  return ` (${method.toLowerCase()} ${resource}${name ? ` ${name}` : ""})`;
}

function genericReason(code: number, method: string, said: string): { reason: string; message: string } {
  switch (code) {
    case 400:
      return { reason: "BadRequest", message: "the server rejected our request for an unknown reason" };
    case 401:
      return { reason: "Unauthorized", message: "the server has asked for the client to provide credentials" };
    case 403:
      return { reason: "Forbidden", message: said };
    case 404:
      return { reason: "NotFound", message: "the server could not find the requested resource" };
    case 405:
      return { reason: "MethodNotAllowed", message: "the server does not allow this method on the requested resource" };
    case 406:
      return {
        reason: "NotAcceptable",
        message: said && said !== "unknown" ? said : "the server was unable to respond with a content type that the client supports",
      };
    case 409:
      return { reason: method === "POST" ? "AlreadyExists" : "Conflict", message: "the server reported a conflict" };
    case 415:
      return { reason: "UnsupportedMediaType", message: said };
    case 422:
      return { reason: "Invalid", message: "the server rejected our request due to an error in our request" };
    case 429:
      return {
        reason: "TooManyRequests",
        message: "the server has received too many requests and has asked us to try again later",
      };
    case 503:
      return { reason: "ServiceUnavailable", message: "the server is currently unable to handle the request" };
    case 504:
      return {
        reason: "Timeout",
        message: "the server was unable to return a response in the time allotted, but may still be processing the request",
      };
  }
  if (code >= 500) {
    return {
      reason: "InternalError",
      message: `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`,
    };
  }
  return { reason: "", message: `the server responded with the status code ${code} but did not return more information` };
}
