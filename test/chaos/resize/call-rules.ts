import { volumeOf, waitedUntil } from "../../../packages/testcluster/driver/call-log.ts";
import type { Reason } from "./history.ts";
import { isResizing, type RecordedEvents, type Resizing, targetOf, timeLine } from "./time-line.ts";

/** What was recorded of a run. Each process that called the driver has a name of its own. */
export interface Recorded extends RecordedEvents {
  /** `--retry-interval-start` and `--retry-interval-max`. */
  readonly retry: { readonly startMs: number; readonly maxMs: number };
}

/** How late a process on a busy machine may see a change of a claim or a pod: while it can watch, and after an outage. */
const noticeMs = 2_000;
const reconnectMs = 5_000;
/** How late a driver may notice that a client gave up: the next call can arrive before. */
const lateMs = 100;

/**
 * What the calls of one process for one volume must keep to, for each method on its own:
 *
 * 1. No call begins while an earlier one is waited for.
 * 2. After the nth failure in a row, the next call begins not before `min(start * 2^(n-1), max)` has passed; after a refusal of the size
 *    or class for good, not before `max`. An earlier failure's delay that has not passed yet counts too: the first of them that ends is
 *    enough. Allowed at once is
 *    - what follows a success;
 *    - the first call after a reason, which is a change of the request, or of the class, a new claim of the name, and for expansions also a
 *      pod that comes or goes and what kubelet does. After a reason the failures count from zero;
 *    - a size or class that was not sent since the last reason: a process that is new has to end first what an earlier one began.
 * 3. A size or class that was refused for good is not sent again before `max` has passed, unless the request or class was changed
 *    meanwhile or the claim is a new one. Pods and kubelet are no reason for that.
 * 4. A volume that the driver did not expand because it was in use is not asked for again as long as the same pod uses it.
 *
 * And what the calls of all processes together must keep to:
 *
 * 5. A size or class of which nobody knows whether the driver has given it up is sent again before any other, unless it was refused for
 *    good before or the claim is a new one.
 *
 * A reason counts from its beginning until the process has certainly seen it. Returns what breaks a rule, and how many calls had to wait.
 */
export function checkCalls(recorded: Recorded): { readonly broken: readonly string[]; readonly delayed: number } {
  const broken: string[] = [];
  let delayed = 0;
  for (const calls of Map.groupBy(recorded.calls.filter(isResizing), keyOf).values()) {
    let failures = 0;
    let due = Number.POSITIVE_INFINITY;
    const sent = new Set<string>();
    calls.forEach((call, i) => {
      const earlier = calls[i - 1];
      if (earlier) {
        const reasons = reasonsBetween(recorded, earlier, call);
        const mustWait = hasFailed(earlier) && reasons.length === 0 && sent.has(targetOf(call));
        const problem = problemOf(recorded, earlier, call, { due: mustWait ? due : undefined, reasons });
        if (problem !== undefined) broken.push(`${problem}\n${timeLine(recorded, earlier, call)}`);
        if (mustWait) delayed++;
        if (reasons.length > 0) {
          failures = 0;
          sent.clear();
        }
      }
      sent.add(targetOf(call));
      if (due <= call.startedAt) due = Number.POSITIVE_INFINITY;
      failures = hasFailed(call) ? failures + 1 : 0;
      const { startMs, maxMs } = recorded.retry;
      const waitMs = isRefused(call) ? maxMs : Math.min(startMs * 2 ** (failures - 1), maxMs);
      if (hasFailed(call)) due = Math.min(due, knownAt(call) + waitMs);
      if (isRefused(call)) failures = 0;
    });
  }
  for (const calls of Map.groupBy(recorded.calls.filter(isResizing), methodAndVolume).values()) broken.push(...abandoned(recorded, calls));
  return { broken, delayed };
}

/** The calls that leave another size or class behind of which nobody knows how it ended. */
function abandoned(recorded: Recorded, calls: readonly Resizing[]): readonly string[] {
  const refused = new Set<string>();
  return calls.flatMap((call, i) => {
    const earlier = calls[i - 1];
    if (!earlier) return [];
    if (isRefused(earlier)) refused.add(targetOf(earlier));
    if (!isUncertain(earlier) || targetOf(earlier) === targetOf(call) || refused.has(targetOf(earlier))) return [];
    const isNew = reasonsBetween(recorded, earlier, call).some(({ kind }) => kind === "recreated");
    return isNew ? [] : [`another target than the one that may be in progress\n${timeLine(recorded, earlier, call)}`];
  });
}

interface Wait {
  /** When the first delay of the failures so far has passed, if the call has to wait for that. */
  readonly due: number | undefined;
  readonly reasons: readonly Reason[];
}

function problemOf(recorded: Recorded, earlier: Resizing, call: Resizing, { due, reasons }: Wait): string | undefined {
  if (waitedUntil(earlier) > call.startedAt + lateMs) return "a call begins while an earlier one is waited for";
  const since = call.startedAt - knownAt(earlier);
  if (isRefused(earlier) && targetOf(earlier) === targetOf(call) && since < recorded.retry.maxMs) {
    const isChanged = reasons.some(({ kind }) => kind === "size" || kind === "class" || kind === "recreated");
    if (!isChanged) return `refused for good, and sent again after ${since.toFixed()} ms`;
  }
  if (codeOf(earlier) === "FailedPrecondition" && isUsedThroughout(recorded, earlier, call)) return "in use, and sent again";
  return due !== undefined && call.startedAt < due ? `${(due - call.startedAt).toFixed()} ms too early` : undefined;
}

function methodAndVolume(call: Resizing): string {
  return `${call.method} ${volumeOf(call)}`;
}

function keyOf(call: Resizing): string {
  return `${call.caller} ${methodAndVolume(call)}`;
}

function hasFailed({ outcome, clientGoneAt }: Resizing): boolean {
  return outcome?.kind !== "answered" || clientGoneAt !== undefined;
}

/** When the process knew at the earliest how the call ended. One that gave up may have done so before the driver noticed. */
function knownAt({ startedAt, endedAt, clientGoneAt, outcome }: Resizing): number {
  return clientGoneAt !== undefined || outcome?.kind === "unanswered" ? startedAt : (endedAt ?? startedAt);
}

function codeOf({ outcome, clientGoneAt }: Resizing): string | undefined {
  return outcome?.kind === "failed" && clientGoneAt === undefined ? outcome.code : undefined;
}

function isUncertain({ outcome, clientGoneAt }: Resizing): boolean {
  const isTimeout = outcome?.kind === "failed" && outcome.code === "DeadlineExceeded";
  return isTimeout || outcome?.kind === "unanswered" || clientGoneAt !== undefined;
}

function isRefused(call: Resizing): boolean {
  return codeOf(call) === "InvalidArgument" || (call.method === "ControllerExpandVolume" && codeOf(call) === "OutOfRange");
}

/** The reasons that the process may have seen after the first call began and before the second did. */
function reasonsBetween(recorded: Recorded, earlier: Resizing, call: Resizing): readonly Reason[] {
  const claim = recorded.claimOf(volumeOf(call) ?? "");
  const kinds = call.method === "ControllerExpandVolume" ? expandReasons : modifyReasons;
  return recorded.reasons.filter(
    (reason) =>
      (reason.claim ?? claim) === claim &&
      kinds.has(reason.kind) &&
      reason.from <= call.startedAt &&
      seenAt(recorded, reason.to) >= earlier.startedAt,
  );
}

const expandReasons: ReadonlySet<Reason["kind"]> = new Set(["size", "recreated", "pod", "kubelet"]);
const modifyReasons: ReadonlySet<Reason["kind"]> = new Set(["class", "recreated"]);

/** When a process has certainly seen what was done at a time. */
function seenAt({ outages }: Pick<Recorded, "outages">, at: number): number {
  const during = outages.filter(({ from, to }) => from <= at + noticeMs && to + reconnectMs >= at);
  return Math.max(at + noticeMs, ...during.map(({ to }) => to + reconnectMs));
}

function isUsedThroughout(recorded: Recorded, earlier: Resizing, call: Resizing): boolean {
  const claim = recorded.claimOf(volumeOf(call) ?? "");
  return recorded.uses.some(
    (use) =>
      use.claim === claim && use.from <= earlier.startedAt && seenAt(recorded, use.from) <= call.startedAt && use.to >= call.startedAt,
  );
}
