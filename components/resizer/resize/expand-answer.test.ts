import { expect, test } from "bun:test";
import { Code, type CodeName, GrpcError } from "@csi-sidecars/csi";
import { checkCapacity, classifyExpandFailure } from "./expand-answer.ts";

test.each<[CodeName, object]>([
  ["InvalidArgument", { kind: "final", infeasible: true, inUse: false }],
  ["OutOfRange", { kind: "final", infeasible: true, inUse: false }],
  ["NotFound", { kind: "final", infeasible: true, inUse: false }],
  ["FailedPrecondition", { kind: "final", infeasible: false, inUse: true }],
  ["Internal", { kind: "final", infeasible: false, inUse: false }],
  ["Unknown", { kind: "final", infeasible: false, inUse: false }],
  ["PermissionDenied", { kind: "final", infeasible: false, inUse: false }],
  ["Canceled", { kind: "uncertain" }],
  ["DeadlineExceeded", { kind: "uncertain" }],
  ["Unavailable", { kind: "uncertain" }],
  ["ResourceExhausted", { kind: "uncertain" }],
  ["Aborted", { kind: "uncertain" }],
])("%s", (code, expected) => {
  const message = `rpc error: code = ${code} desc = no`;
  expect(classifyExpandFailure(new GrpcError(Code[code], "no"))).toEqual({ ...expected, message } as never);
});

test("what this side made up says nothing about the driver", () => {
  expect(classifyExpandFailure(new GrpcError(Code.Internal, "reset", { origin: "transport" })).kind).toBe("uncertain");
  expect(classifyExpandFailure(new GrpcError(Code.Unavailable, "no connection", { origin: "unsent" })).kind).toBe("transient");
  expect(classifyExpandFailure(new Error("no")).kind).toBe("uncertain");
});

const tooLittle = (answered: bigint) => `the driver answered with a capacity of ${answered} bytes, less than the requested 100 bytes`;

test.each<[bigint, string | undefined]>([
  [100n, undefined],
  [101n, undefined],
  [2n ** 62n, undefined],
  [99n, tooLittle(99n)],
  [0n, tooLittle(0n)],
  [-1n, tooLittle(-1n)],
  [2n ** 63n - 1n, "the driver answered with a capacity of 9223372036854775807 bytes, which no volume has, to a request for 100 bytes"],
])("%d for 100 bytes", (answered, problem) => {
  expect(checkCapacity(answered, 100n)).toBe(problem);
});
