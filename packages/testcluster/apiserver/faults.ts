import { STATUS_CODES } from "node:http";
import { StatusError } from "@csi-sidecars/kube";
import { tooManyRequests } from "../rules/status.ts";
import { type MatchableRequest, matchesRequest, type RequestMatch } from "./request-log.ts";

/** What goes wrong with a request. */
export type FaultAction =
  /** The connection is closed; nothing was done. */
  | { readonly do: "refuse" }
  /** The request is served after a delay on the server's clock. */
  | { readonly do: "delay"; readonly ms: number }
  /** The request is answered with this status; nothing was done. */
  | { readonly do: "status"; readonly code: number; readonly retryAfterSeconds?: number; readonly message?: string }
  /** The request is served, but the connection is closed before the response. */
  | { readonly do: "dropResponse" }
  /** A delete removes the object although a finalizer was added after it read the object: the real server does not check again. */
  | { readonly do: "ignoreFinalizers" }
  /** A watch is cut after so many events; with `midEvent`, in the middle of the next one. */
  | { readonly do: "cutWatch"; readonly afterEvents: number; readonly midEvent?: boolean };

export interface Fault {
  readonly match: RequestMatch;
  readonly action: FaultAction;
  /** How many requests it hits; all of them until it is removed, unless given. */
  readonly times?: number;
}

/** A fault that is in effect. */
export interface ActiveFault {
  /** How many requests it has hit. */
  readonly hits: number;
  remove(): void;
}

/** The faults of one server. At most one applies to a request: the first that was added and has hits left. */
export class Faults {
  readonly #active: { readonly fault: Fault; hits: number }[] = [];

  add(fault: Fault): ActiveFault {
    const entry = { fault, hits: 0 };
    this.#active.push(entry);
    return {
      get hits() {
        return entry.hits;
      },
      remove: () => {
        const index = this.#active.indexOf(entry);
        if (index >= 0) this.#active.splice(index, 1);
      },
    };
  }

  /** The action for a request, counted as a hit. */
  take(request: MatchableRequest): FaultAction | undefined {
    const hit = this.#active.find(
      ({ fault, hits }) => hits < (fault.times ?? Number.POSITIVE_INFINITY) && matchesRequest(fault.match, request),
    );
    if (!hit) return undefined;
    hit.hits++;
    return hit.fault.action;
  }
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  422: "Invalid",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** The status with which a fault responds. */
export function faultStatus({ code, retryAfterSeconds, message }: Extract<FaultAction, { do: "status" }>): StatusError {
  if (code === 429 && message === undefined) return tooManyRequests(retryAfterSeconds ?? 1);
  return new StatusError({
    status: "Failure",
    message: message ?? STATUS_CODES[code] ?? `status ${code}`,
    reason: reasons[code] ?? (code === 429 ? "TooManyRequests" : ""),
    details: { ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
    code,
  });
}
