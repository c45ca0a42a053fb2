import { describe, expect, test } from "bun:test";
import { isPartOfLife, subjectOf } from "./call-subject.ts";

describe("a call is about", () => {
  test.each([
    ["/csi.v1.Controller/CreateVolume", { name: "pvc-1", secrets: { key: "x" } }, { method: "CreateVolume", name: "pvc-1" }, true],
    ["/csi.v1.Controller/DeleteVolume", { volumeId: "v" }, { method: "DeleteVolume", id: "v" }, true],
    [
      "/csi.v1.Controller/ControllerPublishVolume",
      { volumeId: "v", nodeId: "n" },
      { method: "ControllerPublishVolume", id: "v", on: "n" },
      true,
    ],
    ["/csi.v1.Controller/CreateSnapshot", { sourceVolumeId: "v", name: "s" }, { method: "CreateSnapshot", id: "v", on: "s" }, true],
    ["/csi.v1.Controller/DeleteSnapshot", { snapshotId: "s" }, { method: "DeleteSnapshot", on: "s" }, false],
    ["/csi.v1.Controller/ControllerGetVolume", { volumeId: "v" }, { method: "ControllerGetVolume", id: "v" }, false],
    ["/csi.v1.Identity/Probe", {}, { method: "Probe" }, false],
    ["/csi.v1.Controller/DeleteVolume", { volumeId: "" }, { method: "DeleteVolume" }, false],
  ])("%s %p", (path, request, subject, shown) => {
    const found = subjectOf({ path, request });
    expect<unknown>(found).toEqual(subject);
    expect(isPartOfLife(found)).toBe(shown);
  });
});
