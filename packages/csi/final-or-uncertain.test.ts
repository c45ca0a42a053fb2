import { describe, expect, test } from "bun:test";
import { classifyFailure, type Failure, type Operation } from "./final-or-uncertain.ts";
import { Code, codeName, GrpcError } from "./grpc/status.ts";

const show = (failure: Failure): string => (failure.kind === "final" && failure.infeasible ? "infeasible" : failure.kind);

// The rows are codes the driver answered, the columns are operations.
const operations: Operation[] = ["createVolume", "publish", "expand", "modify", "createSnapshot"];
const table: Record<string, [string, string, string, string, string]> = {
  Canceled: ["uncertain", "uncertain", "uncertain", "uncertain", "uncertain"],
  Unknown: ["final", "final", "final", "final", "final"],
  InvalidArgument: ["infeasible", "final", "infeasible", "infeasible", "final"],
  DeadlineExceeded: ["uncertain", "uncertain", "uncertain", "uncertain", "uncertain"],
  NotFound: ["final", "final", "infeasible", "final", "final"],
  AlreadyExists: ["final", "final", "final", "final", "final"],
  PermissionDenied: ["final", "final", "final", "final", "final"],
  ResourceExhausted: ["final", "uncertain", "uncertain", "uncertain", "uncertain"],
  FailedPrecondition: ["final", "final", "final", "final", "final"],
  Aborted: ["uncertain", "uncertain", "uncertain", "uncertain", "uncertain"],
  OutOfRange: ["final", "final", "infeasible", "final", "final"],
  Unimplemented: ["final", "final", "final", "final", "final"],
  Internal: ["final", "final", "final", "final", "final"],
  Unavailable: ["uncertain", "uncertain", "uncertain", "uncertain", "uncertain"],
  DataLoss: ["final", "final", "final", "final", "final"],
  Unauthenticated: ["final", "final", "final", "final", "final"],
  "Code(99)": ["final", "final", "final", "final", "final"],
};

describe("failures", () => {
  const codes: number[] = [...Object.values(Code).filter((code) => code !== Code.OK), 99];
  test.each(codes.map((code): [string, number] => [codeName(code), code]))("%s", (name, code) => {
    const found = operations.map((operation) => show(classifyFailure(operation, new GrpcError(code, "why"))));
    expect(found).toEqual(table[name]!);
  });

  test.each(operations)("%s: an error that is not the driver's answer is uncertain, whatever its code", (operation) => {
    expect(classifyFailure(operation, new Error("boom")).kind).toBe("uncertain");
    expect(classifyFailure(operation, "boom")).toEqual({ kind: "uncertain", error: new Error("boom") });
    for (const code of Object.values(Code)) {
      expect(classifyFailure(operation, new GrpcError(code, "", { origin: "transport" })).kind).toBe("uncertain");
      expect(classifyFailure(operation, new GrpcError(code, "", { origin: "unsent" })).kind).toBe("transient");
    }
  });

  test("the error is kept, with its code and message", () => {
    const error = new GrpcError(Code.NotFound, "no");
    expect(classifyFailure("expand", error)).toEqual({ kind: "final", error, infeasible: true });
  });
});
