import { expect, test } from "bun:test";
import { type ErrorResponse, type RequestSubject, statusErrorOf } from "./error-response.ts";

const pv: RequestSubject = { method: "GET", plural: "persistentvolumes", name: "pv-1" };
const attachments: RequestSubject = { method: "POST", group: "storage.k8s.io", plural: "volumeattachments" };
const put: RequestSubject = { ...attachments, method: "PUT", name: "a" };
const text = (code: number, body: string): ErrorResponse => ({ code, body, contentType: "text/plain; charset=utf-8" });

const cases: [what: string, ErrorResponse, RequestSubject, reason: string, message: string][] = [
  [
    "404",
    text(404, "404 page not found\n"),
    pv,
    "NotFound",
    "the server could not find the requested resource (get persistentvolumes pv-1)",
  ],
  ["409 on POST", text(409, ""), attachments, "AlreadyExists", "the server reported a conflict (post volumeattachments.storage.k8s.io)"],
  ["409 on PUT", text(409, ""), put, "Conflict", "the server reported a conflict (put volumeattachments.storage.k8s.io a)"],
  ["400", text(400, "x"), pv, "BadRequest", "the server rejected our request for an unknown reason (get persistentvolumes pv-1)"],
  ["401", text(401, "x"), pv, "Unauthorized", "the server has asked for the client to provide credentials (get persistentvolumes pv-1)"],
  ["403", text(403, " go away\n"), pv, "Forbidden", "go away (get persistentvolumes pv-1)"],
  [
    "405",
    text(405, ""),
    pv,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource (get persistentvolumes pv-1)",
  ],
  ["406", text(406, "only json"), pv, "NotAcceptable", "only json (get persistentvolumes pv-1)"],
  [
    "406, silent",
    text(406, ""),
    pv,
    "NotAcceptable",
    "the server was unable to respond with a content type that the client supports (get persistentvolumes pv-1)",
  ],
  ["415", text(415, "use json"), pv, "UnsupportedMediaType", "use json (get persistentvolumes pv-1)"],
  ["422", text(422, ""), pv, "Invalid", "the server rejected our request due to an error in our request (get persistentvolumes pv-1)"],
  [
    "429",
    text(429, ""),
    pv,
    "TooManyRequests",
    "the server has received too many requests and has asked us to try again later (get persistentvolumes pv-1)",
  ],
  ["503", text(503, ""), pv, "ServiceUnavailable", "the server is currently unable to handle the request (get persistentvolumes pv-1)"],
  [
    "504",
    text(504, ""),
    pv,
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request (get persistentvolumes pv-1)",
  ],
  [
    "502 quotes the body",
    text(502, 'say "hi"\n'),
    pv,
    "InternalError",
    'an error on the server ("say \\"hi\\"") has prevented the request from succeeding (get persistentvolumes pv-1)',
  ],
  [
    "what is not text is not quoted",
    { code: 500, body: "{}", contentType: "application/json" },
    { method: "GET" },
    "InternalError",
    'an error on the server ("unknown") has prevented the request from succeeding',
  ],
  [
    "no content type counts as text",
    { code: 500, body: "boom", contentType: undefined },
    { method: "GET" },
    "InternalError",
    'an error on the server ("boom") has prevented the request from succeeding',
  ],
  [
    "another code",
    text(418, ""),
    { method: "GET" },
    "",
    "the server responded with the status code 418 but did not return more information",
  ],
];

test.each(cases)("%s", (_what, refusal, subject, reason, message) => {
  const { status } = statusErrorOf(refusal, subject);
  expect({ reason: status.reason, message: status.message, code: status.code }).toEqual({ reason, message, code: refusal.code });
  expect(status.details?.causes?.[0]?.reason).toBe("UnexpectedServerResponse");
});

test("a long body is quoted up to 2048 bytes, also when they are not characters", () => {
  const ascii = statusErrorOf(text(500, "x".repeat(5000)), { method: "GET" });
  expect(ascii.status.details?.causes?.[0]?.message).toBe("x".repeat(2048));
  const umlauts = statusErrorOf(text(500, "ü".repeat(5000)), { method: "GET" });
  expect(umlauts.status.details?.causes?.[0]?.message).toBe("ü".repeat(1024));
});

test("the server's own Status is taken as it is", () => {
  const status = { kind: "Status", status: "Failure", reason: "NotFound", message: 'pods "x" not found', details: { name: "x" } };
  const error = statusErrorOf({ code: 404, body: JSON.stringify(status), contentType: "application/json" }, pv);
  expect(error.message).toBe('pods "x" not found');
  expect(error.status as unknown).toEqual({ ...status, code: 404 });
});

test("the seconds that a server asks to wait are kept", () => {
  expect(statusErrorOf({ ...text(429, ""), retryAfterSeconds: 7 }, pv).status.details?.retryAfterSeconds).toBe(7);
});
