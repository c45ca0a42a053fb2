import { readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { RecordedRequest } from "../apiserver/request-log.ts";

/** The fields of an audit.k8s.io/v1 event that are read here. */
interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly requestReceivedTimestamp: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** Where the log ends now: what happens later is written behind it, and perhaps some of what happened before. */
export function endOfAuditLog(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The requests recorded since `from`, in the order they arrived. A watch counts from its beginning, everything else when answered. */
export function auditedRequests(file: string, from: number): RecordedRequest[] {
  const lines = readFileSync(file).subarray(from).toString("utf8").split("\n").slice(0, -1);
  return lines
    .map((line): AuditEvent => JSON.parse(line))
    .filter((event) => event.stage === (event.verb === "watch" ? "ResponseStarted" : "ResponseComplete"))
    .map(recorded)
    .sort((a, b) => a.at - b.at);
}

/** Waits until the log has a line that contains `mark`: lines of requests answered before that one's are then there too. */
export async function auditLogReaches(file: string, from: number, mark: string): Promise<void> {
  for (let left = 2_000; left > 0; left--) {
    if (readFileSync(file).subarray(from).includes(mark)) return;
    await sleep(10);
  }
  throw new Error(`the audit log ${file} never showed "${mark}"`);
}

function recorded(event: AuditEvent): RecordedRequest {
  const [path = "", query = ""] = event.requestURI.split("?", 2);
  const ref = event.objectRef;
  return {
    user: event.user?.username ?? "",
    verb: event.verb,
    group: ref?.apiGroup ?? "",
    resource: ref?.resource ?? "",
    subresource: ref?.subresource ?? "",
    namespace: ref?.namespace ?? "",
    name: ref?.name ?? "",
    path,
    query,
    userAgent: event.userAgent ?? "",
    watch: event.verb === "watch",
    at: Date.parse(event.requestReceivedTimestamp),
    code: event.responseStatus?.code ?? 0,
  };
}
