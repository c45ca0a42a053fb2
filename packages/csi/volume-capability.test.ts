import { describe, expect, test } from "bun:test";
import { AccessMode } from "./access-mode.ts";
import { volumeCapability } from "./volume-capability.ts";

const { MULTI_NODE_MULTI_WRITER, MULTI_NODE_READER_ONLY, SINGLE_NODE_WRITER, SINGLE_NODE_MULTI_WRITER, SINGLE_NODE_SINGLE_WRITER } =
  AccessMode;
const [rwx, rox, rwo, rwop] = ["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce", "ReadWriteOncePod"] as const;
const both = "CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume";
const alone = "Kubernetes does not support use of ReadWriteOncePod with other access modes on the same PersistentVolume";

function capability(
  accessModes: readonly string[],
  rest: { block?: boolean; fsType?: string; mountOptions?: string[] } = {},
  singleNodeMultiWriter = false,
) {
  const { block = false, fsType = "", mountOptions = [] } = rest;
  return volumeCapability({ accessModes, mountOptions, block, fsType }, { singleNodeMultiWriter });
}

describe("access modes", () => {
  test.each<[readonly string[], boolean, AccessMode | string]>([
    [[rwx], false, MULTI_NODE_MULTI_WRITER],
    [[rwo], false, SINGLE_NODE_WRITER],
    [[rox], false, MULTI_NODE_READER_ONLY],
    [[rwx, rox, rwo], false, MULTI_NODE_MULTI_WRITER],
    [[rwop], false, SINGLE_NODE_WRITER],
    [[rwo, rwo], false, SINGLE_NODE_WRITER],
    [[rwo, rox], false, both],
    [[], false, "unsupported AccessMode combination: []"],
    [[rwx], true, MULTI_NODE_MULTI_WRITER],
    [[rox, rwo], true, both],
    [[rox, rwop], true, alone],
    [[rwo, rwop], true, alone],
    [[rox], true, MULTI_NODE_READER_ONLY],
    [[rwo], true, SINGLE_NODE_MULTI_WRITER],
    [[rwop], true, SINGLE_NODE_SINGLE_WRITER],
    [[], true, "unsupported AccessMode combination: []"],
  ])("%j, SINGLE_NODE_MULTI_WRITER: %p", (modes, singleNodeMultiWriter, expected) => {
    const { value, error } = capability(modes, {}, singleNodeMultiWriter);
    expect(value?.accessMode?.mode ?? error).toBe(expected);
  });
});

describe("access types", () => {
  test.each<[string, object, object]>([
    ["nothing told", {}, { mount: { fsType: "", mountFlags: [] } }],
    ["a file system", { fsType: "ext3" }, { mount: { fsType: "ext3" } }],
    ["mount options", { mountOptions: ["a", "b"] }, { mount: { mountFlags: ["a", "b"] } }],
    ["a block device", { block: true, fsType: "ext3", mountOptions: ["a"] }, { block: {} }],
  ])("%s", (_what, rest, expected) => {
    expect<object | undefined>(capability([rwx], rest).value?.accessType).toMatchObject(expected);
  });
});
