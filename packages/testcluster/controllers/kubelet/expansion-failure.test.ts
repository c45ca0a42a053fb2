import { expect, test } from "bun:test";
import { Code, GrpcError } from "@csi-sidecars/csi";
import { failureOfCall } from "./expansion-failure.ts";

const failed = "Expander.NodeExpand failed to expand the volume";

test.each([
  [Code.OutOfRange, "infeasible", `${failed} rpc error: code = OutOfRange desc = no`],
  [Code.InvalidArgument, "infeasible", `${failed} rpc error: code = InvalidArgument desc = no`],
  [Code.NotFound, "infeasible", `${failed} rpc error: code = NotFound desc = no`],
  [Code.FailedPrecondition, "in-use", `${failed} : rpc error: code = FailedPrecondition desc = no`],
  [Code.Internal, "failed", `${failed} : rpc error: code = Internal desc = no`],
  [Code.DeadlineExceeded, "failed", `${failed} : rpc error: code = DeadlineExceeded desc = no`],
] as const)("code %i is %s", (code, result, message) => {
  expect(failureOfCall(new GrpcError(code, "no"))).toEqual({ result, message });
});

test("an error that is no answer of the driver", () => {
  expect(failureOfCall(new Error("no secret"))).toEqual({ result: "failed", message: `${failed} : no secret` });
});
