import { STATUS_CODES } from "node:http";
import { StatusError } from "@csi-sidecars/kube";
import { tooManyRequests } from "../rules/status.ts";
import type { FaultAction } from "./faults.ts";

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

/** The status that a fault answers with. */
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
