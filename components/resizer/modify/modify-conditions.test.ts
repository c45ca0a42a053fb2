import { describe, expect, test } from "bun:test";
import type { ClaimCondition } from "../claim-patch.ts";
import { mergeModifyConditions, withoutConditions } from "./modify-conditions.ts";

const now = Date.parse("2026-01-02T03:04:05Z");
const [time, earlier] = ["2026-01-02T03:04:05Z", "2026-01-01T00:00:00Z"];
const resizing: ClaimCondition = { type: "Resizing", status: "True", lastTransitionTime: earlier };
const error = (reason: string, lastTransitionTime: string, lastProbeTime: string): ClaimCondition => {
  return { type: "ModifyVolumeError", status: "True", reason, message: "no", lastTransitionTime, lastProbeTime };
};
const modifying = (message: string, lastTransitionTime: string, lastProbeTime: string): ClaimCondition => {
  return { type: "ModifyingVolume", status: "True", message, lastTransitionTime, lastProbeTime };
};

describe("conditions about modifying", () => {
  test.each<[string, ClaimCondition[], Parameters<typeof mergeModifyConditions>[1], ClaimCondition[]]>([
    ["nothing to merge", [], [], []],
    ["nothing to change", [resizing], [], [resizing]],
    [
      "a new one comes behind those of others",
      [resizing],
      [{ type: "ModifyingVolume", message: "a" }],
      [resizing, modifying("a", time, time)],
    ],
    [
      "one that is there is replaced in its place; another message is no transition",
      [modifying("a", earlier, earlier), resizing],
      [{ type: "ModifyingVolume", message: "b" }],
      [modifying("b", earlier, time), resizing],
    ],
    [
      "the same reason is no transition",
      [error("Internal", earlier, earlier)],
      [{ type: "ModifyVolumeError", reason: "Internal", message: "no" }],
      [error("Internal", earlier, time)],
    ],
    [
      "another reason is",
      [error("Internal", earlier, earlier)],
      [{ type: "ModifyVolumeError", reason: "Aborted", message: "no" }],
      [error("Aborted", time, time)],
    ],
    [
      "another status is",
      [{ ...modifying("a", earlier, earlier), status: "False" }],
      [{ type: "ModifyingVolume", message: "a" }],
      [modifying("a", time, time)],
    ],
    [
      "both are new: in the order in which they are told",
      [],
      [
        { type: "ModifyingVolume", message: "a" },
        { type: "ModifyVolumeError", reason: "Internal", message: "no" },
      ],
      [modifying("a", time, time), error("Internal", time, time)],
    ],
    [
      "an earlier error stays while it is tried again",
      [modifying("a", earlier, earlier), error("Internal", earlier, earlier)],
      [{ type: "ModifyingVolume", message: "b" }],
      [modifying("b", earlier, time), error("Internal", earlier, earlier)],
    ],
  ])("%s", (_, conditions, changed, expected) => expect(mergeModifyConditions(conditions, changed, now)).toEqual(expected));

  test("are removed, those of others stay", () => {
    const all = [modifying("a", time, time), resizing, error("Internal", time, time)];
    expect(withoutConditions(all, ["ModifyingVolume", "ModifyVolumeError"])).toEqual([resizing]);
    expect(withoutConditions(undefined, ["ModifyingVolume"])).toEqual([]);
  });
});
