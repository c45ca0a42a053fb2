import { describe, expect, test } from "bun:test";
import { readObjectArgument } from "./object-argument.ts";

describe("what is asked", () => {
  const claim = { kind: "claim", ref: { namespace: "default", name: "data" } } as const;
  test.each<[string, ReturnType<typeof readObjectArgument>]>([
    ["pvc default/data", claim],
    ["pvc data", claim],
    ["pvc/data", claim],
    ["pvc/default/data", claim],
    ["persistentvolumeclaims default/data", claim],
    ["pv pv-1", { kind: "volume", ref: { name: "pv-1" } }],
    ["VolumeAttachment csi-1", { kind: "attachment", ref: { name: "csi-1" } }],
    ["vs web/app", { kind: "snapshot", ref: { namespace: "web", name: "app" } }],
    ["volumesnapshots/app", { kind: "snapshot", ref: { namespace: "default", name: "app" } }],
    ["vsc c-1", { kind: "content", ref: { name: "c-1" } }],
    ["vscs c-1", { kind: "content", ref: { name: "c-1" } }],
    ["VolumeSnapshotContent c-1", { kind: "content", ref: { name: "c-1" } }],
    ["vgs web/app", { kind: "group snapshot", ref: { namespace: "web", name: "app" } }],
    ["volumegroupsnapshot web/app", { kind: "group snapshot", ref: { namespace: "web", name: "app" } }],
    ["vgsc c-1", { kind: "group content", ref: { name: "c-1" } }],
    ["volumegroupsnapshotcontents c-1", { kind: "group content", ref: { name: "c-1" } }],
    ["pod web/app", { kind: "pod", ref: { namespace: "web", name: "app" } }],
  ])("%s", (line, question) => expect(readObjectArgument(line.split(" "), "default")).toEqual(question));

  test.each<[string, string]>([
    ["", "name the object to explain: pvc|pod|volumesnapshot"],
    ["secret a/b", 'cannot explain "secret"'],
    ["constructor a/b", 'cannot explain "constructor"'],
    ["__proto__ a/b", 'cannot explain "__proto__"'],
    ["pvc", "name one object after pvc"],
    ["pvc a b", "name one object after pvc"],
    ["pvc a/b/c", '"a/b/c" is not a name with a namespace'],
    ["pv a/b", '"a/b" is not a name'],
    ["pvc a/", '"a/" is not a name'],
  ])("refuses %p", (line, message) => {
    expect(() => readObjectArgument(line === "" ? [] : line.split(" "), "default")).toThrow(message);
  });
});
