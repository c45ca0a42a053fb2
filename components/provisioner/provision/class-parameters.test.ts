import { describe, expect, test } from "bun:test";
import { driverParameters, fsTypeOf } from "./class-parameters.ts";

const prefixed = (key: string) => `csi.storage.k8s.io/${key}`;

describe("the driver's part of a class's parameters", () => {
  test.each([
    ["none", {}, {}],
    ["its own", { type: "ssd" }, { type: "ssd" }],
    ["the prefix in a value", { type: prefixed("bar") }, { type: prefixed("bar") }],
    [
      "ours taken out",
      { [prefixed("fstype")]: "xfs", [prefixed("node-stage-secret-name")]: "a", [prefixed("secret-namespace")]: "b", x: "y" },
      { x: "y" },
    ],
    ["old keys left in", { csiProvisionerSecretName: "a", fstype: "xfs" }, { csiProvisionerSecretName: "a", fstype: "xfs" }],
  ])("%s", (_, parameters, expected) => {
    expect(driverParameters(parameters as Record<string, string>)).toEqual({ value: expected as Record<string, string> });
  });

  test("a prefixed key that nobody knows", () => {
    expect(driverParameters({ [prefixed("bim")]: "b" }).error).toBe(
      'failed to strip CSI Parameters of prefixed keys: found unknown parameter key "csi.storage.k8s.io/bim" with reserved namespace csi.storage.k8s.io/',
    );
  });

  test.each([
    [{}, "", { value: "" }],
    [{}, "ext4", { value: "ext4" }],
    [{ FSType: "xfs" }, "ext4", { value: "xfs" }],
    [{ [prefixed("fstype")]: "xfs" }, "", { value: "xfs" }],
    [
      { fstype: "a", [prefixed("fstype")]: "b" },
      "",
      { error: 'fstype specified in parameters with both "fstype" and "csi.storage.k8s.io/fstype" keys' },
    ],
  ])("the file system of %p with the default %p", (parameters, byDefault, expected) => {
    expect(fsTypeOf(parameters as Record<string, string>, byDefault)).toEqual(expected);
  });
});
