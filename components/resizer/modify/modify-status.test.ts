import { describe, expect, test } from "bun:test";
import { Code, GrpcError } from "@csi-sidecars/csi";
import { claimPatch } from "../claim-patch.ts";
import { cachedClaim } from "../testing/objects.ts";
import type { FailedAnswer } from "./modify-state.ts";
import { canceled, completed, failed, inProgress, pending, refused } from "./modify-status.ts";

const now = Date.parse("2026-01-02T03:04:05Z");
const time = "2026-01-02T03:04:05Z";
const times = { lastProbeTime: time, lastTransitionTime: time };
const modifying = (message: string) => ({ type: "ModifyingVolume", status: "True", message, ...times });
const failure = (parts: Partial<FailedAnswer>): FailedAnswer => {
  return { outcome: "failed", className: "gold", error: new Error("?"), uncertain: false, infeasible: false, ...parts };
};
const begun = cachedClaim({
  status: {
    modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: "gold" },
    conditions: [{ type: "Resizing", status: "True" }, modifying("x")],
  },
});

/** What is sent. */
const body = (claim: Parameters<typeof claimPatch>[0], wanted: Parameters<typeof claimPatch>[1]) =>
  (claimPatch(claim, wanted)?.body as { status?: object } | undefined)?.status;

describe("what is written into a claim", () => {
  test("pending: only that, with the target that was tried before", () => {
    expect(body(cachedClaim(), pending(cachedClaim()))).toEqual({ modifyVolumeStatus: { status: "Pending" } });
    expect(pending(begun).status).toEqual({
      ...begun.status,
      modifyVolumeStatus: { status: "Pending", targetVolumeAttributesClassName: "gold" },
    });
  });

  test("in progress", () => {
    expect(body(cachedClaim(), inProgress(cachedClaim(), "gold", now))).toEqual({
      modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: "gold" },
      conditions: [modifying('Modifying volume to "gold" is in progress.')],
    });
  });

  test.each<[string, FailedAnswer, string, string, object]>([
    [
      "final",
      failure({ error: new GrpcError(Code.Internal, "no") }),
      "InProgress",
      'Modifying volume to "gold" failed. Waiting for retry.',
      { reason: "Internal", message: "no" },
    ],
    [
      "infeasible",
      failure({ error: new GrpcError(Code.InvalidArgument, "cannot"), infeasible: true }),
      "Infeasible",
      'Modifying volume to "gold" failed. Waiting for retry.',
      { reason: "InvalidArgument", message: "cannot" },
    ],
    [
      "not final",
      failure({ error: new GrpcError(Code.DeadlineExceeded, "slow"), uncertain: true }),
      "InProgress",
      'Modifying volume to "gold" is still in progress.',
      { reason: "DeadlineExceeded", message: "slow" },
    ],
    [
      "not a gRPC status",
      failure({ error: new Error("error getting secret s in namespace n: gone") }),
      "InProgress",
      'Modifying volume to "gold" failed. Waiting for retry.',
      { reason: "Unknown", message: "error getting secret s in namespace n: gone" },
    ],
  ])("a failure that is %s", (_, answer, status, message, error) => {
    expect(failed(begun, answer, now).status).toEqual({
      ...begun.status,
      modifyVolumeStatus: { status, targetVolumeAttributesClassName: "gold" },
      conditions: [
        { type: "Resizing", status: "True" },
        modifying(message),
        { type: "ModifyVolumeError", status: "True", ...error, ...times },
      ],
    } as never);
  });

  test("refused without a call: the same as after a driver that refuses the parameters", () => {
    const answer = failure({ error: new GrpcError(Code.InvalidArgument, "theirs"), infeasible: true });
    expect(refused(begun, "gold", "theirs", now)).toEqual(failed(begun, answer, now));
  });

  test("a long text of the driver is cut", () => {
    const { status } = failed(begun, failure({ error: new GrpcError(Code.Internal, "x".repeat(65_536)) }), now);
    expect(status.conditions?.at(-1)?.message).toHaveLength(16 * 1024);
  });

  test("completed: the status is removed, and the conditions one by one", () => {
    expect(body(begun, completed(begun, "gold"))).toEqual({
      modifyVolumeStatus: null,
      currentVolumeAttributesClassName: "gold",
      "$setElementOrder/conditions": [{ type: "Resizing" }],
      conditions: [{ $patch: "delete", type: "ModifyingVolume" }],
    });
  });

  test("canceled: only that it is being modified is removed", () => {
    const refused = failed(begun, failure({ infeasible: true }), now);
    expect(body({ ...begun, status: refused.status }, canceled({ ...begun, status: refused.status }))).toEqual({
      "$setElementOrder/conditions": [{ type: "Resizing" }, { type: "ModifyVolumeError" }],
      conditions: [{ $patch: "delete", type: "ModifyingVolume" }],
    });
  });
});
