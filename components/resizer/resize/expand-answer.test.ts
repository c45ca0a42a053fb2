import { expect, test } from "bun:test";
import { Code, type CodeName, GrpcError } from "@csi-sidecars/csi";
import { classifyExpandFailure } from "./expand-failure.ts";

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
