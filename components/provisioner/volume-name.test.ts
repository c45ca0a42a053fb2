import { describe, expect, test } from "bun:test";
import { uuidLengthProblem } from "@csi-sidecars/controller";
import { volumeName } from "./volume-name.ts";

describe("the name of a volume", () => {
  test.each([
    [{ prefix: "pvc", uuidLength: -1 }, "a-b-c", { value: "pvc-a-b-c" }],
    [{ prefix: "test", uuidLength: 5 }, "testid", { value: "test-testi" }],
    [{ prefix: "test", uuidLength: 4 }, "a-b-c-d-e", { value: "test-abcd" }],
    [{ prefix: "", uuidLength: -1 }, "uid", { error: "volume name prefix cannot be of length 0" }],
    [{ prefix: "pvc", uuidLength: -1 }, "", { error: "corrupted PVC object, it is missing UID" }],
  ])("%p of %p", (naming, uid, expected) => {
    expect(volumeName(naming, uid)).toEqual(expected);
  });

  test.each([
    [-2, true],
    [-1, false],
    [0, true],
    [1, false],
    [32, false],
    [33, true],
  ])("a length of %p is a mistake: %p", (length, wrong) => {
    expect(uuidLengthProblem(length) !== undefined).toBe(wrong);
  });
});
