import { expect, test } from "bun:test";
import * as statusErrors from "./status-error.ts";

const { hasStatusCause, ignoreNotFound, StatusError, ...predicates } = statusErrors;

const cases: [reason: string, code: number, answers: (keyof typeof predicates)[]][] = [
  ["NotFound", 404, ["isNotFound"]],
  ["", 404, ["isNotFound"]],
  ["SomethingNew", 404, ["isNotFound"]],
  ["Forbidden", 404, ["isForbidden"]],
  ["AlreadyExists", 409, ["isAlreadyExists"]],
  ["Conflict", 409, ["isConflict"]],
  ["", 409, ["isConflict"]],
  ["Invalid", 422, ["isInvalid"]],
  ["", 422, ["isInvalid"]],
  ["", 403, ["isForbidden"]],
  ["Gone", 410, ["isGone"]],
  ["", 410, ["isGone"]],
  ["Expired", 410, ["isResourceExpired"]],
  ["TooManyRequests", 429, ["isTooManyRequests"]],
  ["NotFound", 429, ["isNotFound", "isTooManyRequests"]],
  ["InternalError", 500, ["isInternalError"]],
  ["", 500, ["isInternalError"]],
  ["Timeout", 504, ["isTimeout"]],
  ["ServerTimeout", 504, ["isServerTimeout"]],
  ["ServiceUnavailable", 500, []],
  ["", 200, []],
];

test.each(cases)("reason %p, code %p: %p", (reason, code, expected) => {
  const error = new StatusError({ reason, code, message: "no" });
  const answers = (e: unknown) =>
    Object.entries(predicates)
      .filter(([, predicate]) => predicate(e))
      .map(([name]) => name)
      .sort();
  expect(answers(error)).toEqual([...expected].sort());
  expect(answers(new Error("wrapped", { cause: error }))).toEqual([...expected].sort());
});

test("other errors match no predicate", () => {
  for (const predicate of Object.values(predicates)) {
    expect(predicate(new Error("404"))).toBe(false);
    expect(predicate(undefined)).toBe(false);
  }
});

test("ignoreNotFound: a missing object is undefined, other errors are thrown", async () => {
  const failing = async (reason: string): Promise<string> => {
    throw new StatusError({ reason, message: reason });
  };
  expect(await ignoreNotFound(Promise.resolve("found"))).toBe("found");
  expect(await ignoreNotFound(failing("NotFound"))).toBeUndefined();
  await expect(ignoreNotFound(failing("Forbidden"))).rejects.toThrow("Forbidden");
});

test("a cause is found by its reason", () => {
  const error = new StatusError({ reason: "Forbidden", code: 403, details: { causes: [{ reason: "NamespaceTerminating" }] } });
  expect(hasStatusCause(error, "NamespaceTerminating")).toBe(true);
  expect(hasStatusCause(error, "ResourceVersionTooLarge")).toBe(false);
  expect(hasStatusCause(new Error(), "NamespaceTerminating")).toBe(false);
});

test("a StatusError reads as its message alone", () => {
  expect(`${new StatusError({ message: 'pods "x" not found' })}`).toBe('pods "x" not found');
});
