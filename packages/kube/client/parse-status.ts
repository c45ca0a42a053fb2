import { isRecord } from "@csi-sidecars/base";
import type { Status } from "./client.ts";

/** What a server sent, if the fields we read have the types of a Status: proxies and broken servers send anything. */
export function asStatus(value: unknown): Status | undefined {
  return isRecord(value) && isOptional(value.message, "string") && isOptional(value.reason, "string") && hasNumbersAndDetails(value)
    ? value
    : undefined;
}

function hasNumbersAndDetails({ code, details }: Readonly<Record<string, unknown>>): boolean {
  if (!isOptional(code, "number")) return false;
  if (details === undefined) return true;
  return isRecord(details) && (details.causes === undefined || (Array.isArray(details.causes) && details.causes.every(isRecord)));
}

function isOptional(value: unknown, type: "string" | "number"): boolean {
  return value === undefined || typeof value === type;
}
