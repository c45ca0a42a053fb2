import { describe, expect, test } from "bun:test";
import { TransportError, type TransportErrorKind } from "../transport/transport.ts";
import { type AttemptOutcome, retryDelay, retryReason, withPreviousError } from "./with-retry.ts";

const answer = (status: number, retryAfter?: string): AttemptOutcome => ({ status, retryAfter });
const failure = (kind: TransportErrorKind): AttemptOutcome => ({ error: new TransportError(kind, kind) });

describe("retryDelay", () => {
  const cases: [method: string, watch: boolean, AttemptOutcome, delayMs: number | undefined][] = [
    ["POST", false, answer(429, "2"), 2000],
    ["PUT", false, answer(503, "1"), 1000],
    ["PATCH", false, answer(500, "0"), 0],
    ["DELETE", false, answer(599, "30"), 30_000],
    ["GET", true, answer(429, "5"), 5000],
    ["GET", false, answer(429, "60"), 60_000],
    ["GET", false, answer(503, "3600"), 60_000],
    ["GET", true, answer(429, "4294967296"), 60_000],
    ["GET", false, answer(503), undefined],
    ["GET", false, answer(429), undefined],
    ["GET", false, answer(404, "1"), undefined],
    ["GET", false, answer(200, "1"), undefined],
    ["GET", false, answer(503, "Wed, 21 Oct 2026 07:28:00 GMT"), undefined],
    ["GET", false, answer(503, "1.5"), undefined],
    ["GET", false, answer(503, ""), undefined],
    ["GET", false, failure("reset"), 1000],
    ["POST", false, failure("reset"), undefined],
    ["PATCH", false, failure("reset"), undefined],
    ["GET", false, failure("timeout"), undefined],
    ["GET", false, failure("refused"), undefined],
    ["GET", false, failure("tls"), undefined],
    ["GET", true, failure("reset"), 1000],
    ["GET", true, failure("timeout"), 1000],
    ["GET", true, failure("refused"), undefined],
    ["GET", true, failure("aborted"), undefined],
  ];
  const title = (outcome: AttemptOutcome) =>
    "error" in outcome ? outcome.error.kind : `${outcome.status}, Retry-After ${outcome.retryAfter ?? "absent"}`;
  const named = cases.map(([method, watch, outcome, delayMs]) => ({
    what: `${watch ? "watch" : method}, ${title(outcome)}: ${delayMs ?? "no retry"}`,
    actual: retryDelay(outcome, method, watch),
    delayMs,
  }));
  test.each(named)("$what", ({ actual, delayMs }) => {
    expect(actual).toBe(delayMs);
  });
});

test.each([
  ["throttled", answer(429, "2"), "retries: 3, retry-after: 2s - retry-reason: due to server-side throttling"],
  ["unavailable", answer(503, "2"), "retries: 3, retry-after: 2s - retry-reason: 503"],
  ["reset", failure("reset"), "retries: 3, retry-after: 2s - retry-reason: due to retryable error, error: reset"],
])("the reason for a retry: %s", (_what, outcome, reason) => {
  expect(retryReason(3, 2000, outcome)).toBe(reason);
});

describe("withPreviousError", () => {
  const last = new TransportError("timeout", "no answer");
  test("says what an earlier attempt died of", () => {
    const error = withPreviousError(last, new TransportError("reset", "EOF"));
    expect(error).toMatchObject({ kind: "timeout", message: "no answer - error from a previous attempt: EOF", cause: last });
  });
  test("does not say the same twice", () => {
    expect(withPreviousError(last, new TransportError("reset", "no answer"))).toBe(last);
    expect(withPreviousError(last, undefined)).toBe(last);
  });
});
