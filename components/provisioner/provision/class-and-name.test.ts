import { describe, expect, test } from "bun:test";
import { AccessMode } from "@csi-sidecars/csi";
import { driverParameters, fsTypeOf } from "./class-parameters.ts";
import { isReadOnly, volumeCapabilities } from "./volume-capabilities.ts";
import { uuidLengthProblem, volumeName } from "./volume-name.ts";

const prefixed = (key: string) => `csi.storage.k8s.io/${key}`;

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
    expect(uuidLengthProblem(length, "length") !== undefined).toBe(wrong);
  });
});

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
  const usage = { block: false, fsType: "ext4", mountFlags: ["noatime"] };
  test.each([
    [["ReadWriteOnce"], false, [AccessMode.SINGLE_NODE_WRITER]],
    [["ReadWriteOnce"], true, [AccessMode.SINGLE_NODE_MULTI_WRITER]],
    [["ReadWriteOncePod"], false, [AccessMode.SINGLE_NODE_WRITER]],
    [["ReadWriteOncePod"], true, [AccessMode.SINGLE_NODE_SINGLE_WRITER]],
    [["ReadOnlyMany", "ReadWriteOnce"], false, [AccessMode.MULTI_NODE_READER_ONLY, AccessMode.SINGLE_NODE_WRITER]],
    [["ReadWriteMany"], true, [AccessMode.MULTI_NODE_MULTI_WRITER]],
    [[], false, []],
  ])("%p, telling writers apart: %p", (accessModes, singleNodeMultiWriter, modes) => {
    const { value } = volumeCapabilities({ ...usage, accessModes }, { singleNodeMultiWriter });
    expect(value?.map(({ accessMode }) => accessMode?.mode as number)).toEqual(modes);
    const mount = { fsType: "ext4", mountFlags: ["noatime"], volumeMountGroup: "" };
    for (const { accessType } of value ?? []) expect(accessType).toEqual({ $case: "mount", mount });
  });

  test("one that nobody knows", () => {
    const asked = volumeCapabilities({ ...usage, accessModes: ["Sometimes"] }, { singleNodeMultiWriter: false });
    expect(asked).toEqual({ error: "unsupported AccessMode combination: [Sometimes]" });
  });

  test("only a volume that is read by all and nothing else is read-only", () => {
    const of = (...accessModes: string[]) => volumeCapabilities({ ...usage, accessModes }, { singleNodeMultiWriter: false }).value ?? [];
    expect([isReadOnly(of("ReadOnlyMany")), isReadOnly(of("ReadOnlyMany", "ReadWriteOnce")), isReadOnly(of("ReadWriteOnce"))]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
