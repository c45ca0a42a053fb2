import { describe, expect, test } from "bun:test";
import { AccessMode } from "@csi-sidecars/csi";
import type { Claim } from "../fields.ts";
import { isReadOnly, volumeCapabilities } from "./volume-capabilities.ts";

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
