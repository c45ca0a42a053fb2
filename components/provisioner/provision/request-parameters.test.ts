import { describe, expect, test } from "bun:test";
import { AccessMode } from "@csi-sidecars/csi";
import type { Claim } from "../fields.ts";
import { driverParameters, fsTypeOf, isReadOnly, volumeCapabilities } from "./request-parameters.ts";

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

describe("access modes", () => {
  const capabilities = (accessModes: readonly string[], singleNodeMultiWriter = false) => {
    const claim = { spec: { accessModes } } as unknown as Claim;
    const { value, error } = volumeCapabilities(claim, { mountOptions: ["noatime"] }, { defaultFsType: "ext4", singleNodeMultiWriter });
    return { capabilities: value?.capabilities, error };
  };

  test.each([
    [["ReadWriteOnce"], false, [AccessMode.SINGLE_NODE_WRITER]],
    [["ReadWriteOnce"], true, [AccessMode.SINGLE_NODE_MULTI_WRITER]],
    [["ReadWriteOncePod"], false, [AccessMode.SINGLE_NODE_WRITER]],
    [["ReadWriteOncePod"], true, [AccessMode.SINGLE_NODE_SINGLE_WRITER]],
    [["ReadOnlyMany", "ReadWriteOnce"], false, [AccessMode.MULTI_NODE_READER_ONLY, AccessMode.SINGLE_NODE_WRITER]],
    [["ReadWriteMany"], true, [AccessMode.MULTI_NODE_MULTI_WRITER]],
    [[], false, []],
  ])("%p, with SINGLE_NODE_MULTI_WRITER: %p", (accessModes, singleNodeMultiWriter, modes) => {
    const found = capabilities(accessModes, singleNodeMultiWriter).capabilities;
    expect(found?.map(({ accessMode }) => accessMode?.mode as number)).toEqual(modes);
    const mount = { fsType: "ext4", mountFlags: ["noatime"], volumeMountGroup: "" };
    for (const { accessType } of found ?? []) expect(accessType).toEqual({ $case: "mount", mount });
  });

  test("one that nobody knows", () => {
    expect(capabilities(["Sometimes"])).toEqual({ capabilities: undefined, error: "unsupported AccessMode combination: [Sometimes]" });
  });

  test("only a volume that is read by all and nothing else is read-only", () => {
    const readOnly = (...accessModes: string[]) => isReadOnly(capabilities(accessModes).capabilities ?? []);
    expect([readOnly("ReadOnlyMany"), readOnly("ReadOnlyMany", "ReadWriteOnce"), readOnly("ReadWriteOnce")]).toEqual([true, false, false]);
  });
});
