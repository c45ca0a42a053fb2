import { describe, expect, test } from "bun:test";
import { convertObject } from "./convert-object.ts";
import { trackingAnnotation } from "./info-list.ts";

const group = "groupsnapshot.storage.k8s.io";
const content = (version: string, more: object = {}) => ({
  apiVersion: `${group}/${version}`,
  kind: "VolumeGroupSnapshotContent",
  metadata: { name: "content" },
  spec: { driver: "driver.example.com" },
  ...more,
});
const convert = (object: ReturnType<typeof content>, version: string) => convertObject(object, `${group}/${version}`);

/** Beyond what a double holds. */
const creationTime = 1_700_000_000_123_456_789n;
const infos = [
  { snapshotHandle: "s1", volumeHandle: "v1", creationTime, readyToUse: true, restoreSize: 12 },
  { snapshotHandle: "s2", volumeHandle: "v2" },
];
const pairs = [
  { snapshotHandle: "s1", volumeHandle: "v1" },
  { snapshotHandle: "s2", volumeHandle: "v2" },
];
const tracked =
  '[{"creationTime":1700000000123456789,"readyToUse":true,"restoreSize":12,"snapshotHandle":"s1","volumeHandle":"v1"},' +
  '{"snapshotHandle":"s2","volumeHandle":"v2"}]';
const others = { readyToUse: true, volumeGroupSnapshotHandle: "g" };

describe.each(["v1beta2", "v1"])("from v1beta1 to %s", (version) => {
  test("the annotation becomes the list, also without a status", () => {
    const before = content("v1beta1", { metadata: { name: "content", annotations: { [trackingAnnotation]: tracked } } });
    expect(convert(before, version)).toEqual(
      content(version, { metadata: { name: "content", annotations: {} }, status: { volumeSnapshotInfoList: infos } }),
    );
  });

  test("the annotation takes precedence over the list of handles; other annotations and the other status stay", () => {
    const before = content("v1beta1", {
      metadata: { name: "content", annotations: { a: "b", [trackingAnnotation]: tracked } },
      status: { ...others, volumeSnapshotHandlePairList: pairs.slice(1) },
    });
    expect(convert(before, version)).toEqual(
      content(version, {
        metadata: { name: "content", annotations: { a: "b" } },
        status: { ...others, volumeSnapshotInfoList: infos },
      }),
    );
  });

  test("without annotation and status only the version changes", () => {
    expect(convert(content("v1beta1"), version)).toEqual(content(version));
  });

  test("without annotation the list of handles is renamed", () => {
    const before = content("v1beta1", { status: { ...others, volumeSnapshotHandlePairList: pairs } });
    expect(convert(before, version)).toEqual(content(version, { status: { ...others, volumeSnapshotInfoList: pairs } }));
  });

  test.each([
    ["{", /^unable to deserialize annotation "groupsnapshot\.storage\.kubernetes\.io\/volume-snapshot-info-list": ./],
    ["{}", /: expected an array, found object$/],
    ["null", /: expected an array, found null$/],
  ])("an annotation %s is a failure", (text, message) => {
    const before = content("v1beta1", { metadata: { annotations: { [trackingAnnotation]: text } } });
    expect(() => convert(before, version)).toThrow(message);
  });
});

describe.each(["v1beta2", "v1"])("from %s to v1beta1", (version) => {
  test("the list goes to the annotation with all digits, its handles stay", () => {
    const before = content(version, { status: { ...others, volumeSnapshotInfoList: infos } });
    expect(convert(before, "v1beta1")).toEqual(
      content("v1beta1", {
        metadata: { name: "content", annotations: { [trackingAnnotation]: tracked } },
        status: { ...others, volumeSnapshotHandlePairList: pairs },
      }),
    );
  });

  test("without a list only the version changes", () => {
    expect(convert(content(version), "v1beta1")).toEqual(content("v1beta1"));
    expect(convert(content(version, { status: others }), "v1beta1")).toEqual(content("v1beta1", { status: others }));
  });

  test("an entry that is no object is a failure", () => {
    const before = content(version, { status: { volumeSnapshotInfoList: [infos[1], "s"] } });
    expect(() => convert(before, "v1beta1")).toThrow("unexpected content in .status.volumeSnapshotInfoList[1]: expected map");
  });

  test.each([
    ["the list", { volumeSnapshotInfoList: {} }, ".status.volumeSnapshotInfoList is object"],
    ["the status", "ready", ".status is string"],
  ])("%s of another type is a failure", (_what, status, message) => {
    expect(() => convert(content(version, { status }), "v1beta1")).toThrow(
      `unable to traverse for .status.volumeSnapshotInfoList: ${message}`,
    );
  });

  test("and back nothing is lost", () => {
    const before = content(version, {
      metadata: { name: "content", annotations: { a: "<b> & c" }, labels: { l: "m" } },
      status: { ...others, volumeSnapshotInfoList: [{ ...infos[0], snapshotHandle: 'a<b>&"\u2028ü' }, infos[1]] },
    });
    expect(convert(convert(before, "v1beta1") as typeof before, version)).toEqual(before);
  });
});

test.each([
  ["v1beta2", "v1"],
  ["v1", "v1beta2"],
])("from %s to %s only the version changes, and no annotation is written", (from, to) => {
  const status = { ...others, volumeSnapshotInfoList: infos };
  expect(convert(content(from, { status }), to)).toEqual(content(to, { status }));
});

test.each(["VolumeGroupSnapshot", "VolumeGroupSnapshotClass"])("of a %s only the version changes", (kind) => {
  const status = { volumeSnapshotInfoList: infos };
  expect(convert({ ...content("v1", { status }), kind }, "v1beta1")).toEqual({ ...content("v1beta1", { status }), kind });
});

test.each<[what: string, object: object, to: string, message: string]>([
  ["the same version", {}, "v1beta1", `conversion from a version to itself should not call the webhook: ${group}/v1beta1`],
  ["another kind in the same version", { kind: "Pod" }, "v1beta1", "conversion from a version to itself"],
  ["another kind", { kind: "Pod" }, "v2", 'unexpected conversion kind "Pod"'],
  ["an unknown version", {}, "v2", `unexpected conversion version from "${group}/v1beta1" to "${group}/v2"`],
  ["another group", { apiVersion: "example.com/v1" }, "v1", `unexpected conversion version from "example.com/v1" to "${group}/v1"`],
  ["no version", { apiVersion: undefined }, "v1", `unexpected conversion version from "" to "${group}/v1"`],
])("%s is a failure", (_what, object, to, message) => {
  expect(() => convert({ ...content("v1beta1"), ...object }, to)).toThrow(message);
});

test("what an object calls __proto__ is a field like any other", () => {
  const before = JSON.parse(`{"apiVersion":"${group}/v1","kind":"VolumeGroupSnapshotContent","__proto__":{"a":1},"metadata":{"annotations":
    {"__proto__":"x"}},"status":{"__proto__":{"b":2},"volumeSnapshotInfoList":[{"__proto__":{"c":3}}]}}`);
  const after = convert(convert(before, "v1beta1") as typeof before, "v1");
  expect(JSON.stringify(after)).toBe(JSON.stringify(before));
});
