import { describe, expect, test } from "bun:test";
import { AccessMode, type AccessModeChoice, chooseAccessMode } from "./access-mode.ts";

const RWO = "ReadWriteOnce";
const ROX = "ReadOnlyMany";
const RWX = "ReadWriteMany";
const RWOP = "ReadWriteOncePod";

const mode = (name: keyof typeof AccessMode): AccessModeChoice => ({ mode: AccessMode[name] });
const error = (error: string): AccessModeChoice => ({ error });
const podAlone = error("Kubernetes does not support use of ReadWriteOncePod with other access modes on the same PersistentVolume");
const notTogether = error("CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume");

describe("chooseAccessMode", () => {
  test.each<[string[], AccessModeChoice, AccessModeChoice]>([
    //modes               driver without SINGLE_NODE_MULTI_WRITER              with
    [[RWOP], mode("SINGLE_NODE_WRITER"), mode("SINGLE_NODE_SINGLE_WRITER")],
    [[RWOP, RWOP], mode("SINGLE_NODE_WRITER"), mode("SINGLE_NODE_SINGLE_WRITER")],
    [[RWOP, RWO], podAlone, podAlone],
    [[RWX, RWOP], podAlone, podAlone],
    [[RWX], mode("MULTI_NODE_MULTI_WRITER"), mode("MULTI_NODE_MULTI_WRITER")],
    [[RWO, RWX], mode("MULTI_NODE_MULTI_WRITER"), mode("MULTI_NODE_MULTI_WRITER")],
    [[ROX, RWX], mode("MULTI_NODE_MULTI_WRITER"), mode("MULTI_NODE_MULTI_WRITER")],
    [[RWO, ROX, RWX], mode("MULTI_NODE_MULTI_WRITER"), mode("MULTI_NODE_MULTI_WRITER")],
    [[ROX, RWO], notTogether, notTogether],
    [[ROX], mode("MULTI_NODE_READER_ONLY"), mode("MULTI_NODE_READER_ONLY")],
    [[RWO], mode("SINGLE_NODE_WRITER"), mode("SINGLE_NODE_MULTI_WRITER")],
    [[], error("unsupported AccessMode combination: []"), error("unsupported AccessMode combination: []")],
    [["A", "B"], error("unsupported AccessMode combination: [A B]"), error("unsupported AccessMode combination: [A B]")],
  ])("%p", (modes, without, withCapability) => {
    expect(chooseAccessMode(modes, { singleNodeMultiWriter: false })).toEqual(without);
    expect(chooseAccessMode(modes, { singleNodeMultiWriter: true })).toEqual(withCapability);
  });
});
