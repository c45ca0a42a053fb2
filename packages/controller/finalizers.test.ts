import { describe, expect, test } from "bun:test";
import type { KubeObject } from "@csi-sidecars/kube";
import { addFinalizerPatch, hasFinalizer, removeFinalizerPatch, withFinalizer, withoutFinalizer } from "./finalizers.ts";

const holding = (...finalizers: string[]): KubeObject => ({ metadata: { name: "data", finalizers } });

test("a patch names the object's uid and nothing but our finalizer", () => {
  const object = { metadata: { uid: "u", finalizers: ["a"] } };
  expect(addFinalizerPatch(object, "ours").body).toEqual({
    metadata: { uid: "u", finalizers: ["ours"], "$setElementOrder/finalizers": ["a", "ours"] },
  });
  expect(removeFinalizerPatch(object, "ours").body).toEqual({ metadata: { uid: "u", "$deleteFromPrimitiveList/finalizers": ["ours"] } });
  expect([hasFinalizer(object, "a"), hasFinalizer(object, "ours"), hasFinalizer({ metadata: { uid: "u" } }, "a")]).toEqual([
    true,
    false,
    false,
  ]);
});

describe("finalizers of an object that was read", () => {
  test.each<[string, readonly string[] | undefined, readonly string[] | undefined]>([
    ["the first", undefined, ["ours"]],
    ["one more, at the end", ["b", "a"], ["b", "a", "ours"]],
    ["there already", ["ours", "a"], undefined],
  ])("put on: %s", (_, before, after) => {
    const object: KubeObject = { metadata: { name: "data", ...(before && { finalizers: [...before] }) } };
    expect(withFinalizer(object, "ours")?.metadata?.finalizers).toEqual(after as never);
    expect(object.metadata?.finalizers).toEqual(before as never);
  });

  test.each<[string, readonly string[], readonly string[] | undefined]>([
    ["the last", ["ours"], []],
    ["in the middle, the order stays", ["b", "ours", "a"], ["b", "a"]],
    ["not there", ["a"], undefined],
  ])("taken off: %s", (_, before, after) => {
    const object = holding(...before);
    expect(withoutFinalizer(object, "ours")?.metadata?.finalizers).toEqual(after as never);
    expect(object.metadata?.finalizers).toEqual([...before]);
  });
});
