import { describe, expect, test } from "bun:test";
import { cachedVolume } from "../testing/cached.ts";
import { volumeWithHandle } from "./volume-handle.ts";

describe("the PersistentVolume with a handle of the driver", () => {
  const ebs = "ebs.csi.aws.com";
  const volumes = [
    cachedVolume({ metadata: { name: "nfs" }, spec: { csi: undefined } }),
    cachedVolume({ metadata: { name: "other" }, spec: { csi: { driver: "other.example.com", volumeHandle: "vol-1" } } }),
    cachedVolume({ metadata: { name: "csi" }, spec: { csi: { driver: ebs, volumeHandle: "vol-2" } } }),
    cachedVolume({ metadata: { name: "in-tree" }, spec: { csi: undefined, awsElasticBlockStore: { volumeID: "aws://z/vol-3" } } }),
  ];
  test.each([
    ["vol-1", undefined],
    ["vol-2", "csi"],
    ["vol-3", "in-tree"],
    ["", undefined],
  ])("%p: %p", (id, owner) => {
    expect(volumeWithHandle(volumes, ebs, id)).toBe(owner as string);
  });
});
