import { describe, expect, test } from "bun:test";
import type { Patch } from "@csi-sidecars/kube";
import { annotationsPatch, finalizersPatch, holdingPatch, statusPatch } from "./custom-resource-patches.ts";

const uid = "u";
const sameUid = { op: "test", path: "/metadata/uid", value: uid };

test("annotations: only those that change, and only of the very object", () => {
  const content = { metadata: { uid, annotations: { kept: "yes", gone: "yes" } } };
  expect(annotationsPatch(content, { kept: "yes", gone: null, absent: null, added: "yes" })).toEqual({
    type: "merge",
    body: { metadata: { uid, annotations: { gone: null, added: "yes" } } },
  });
  expect(annotationsPatch(content, { kept: "yes", absent: null })).toBeUndefined();
});

describe("finalizers", () => {
  const path = "/metadata/finalizers";
  test.each<[string, string[] | undefined, Parameters<typeof finalizersPatch>[1], object[] | undefined]>([
    ["the first", undefined, { add: ["a"] }, [{ op: "test", path, value: null }, { op: "add", path, value: ["a"] }]], // biome-ignore format: a table
    ["one more", ["b"], { add: ["a", "b"] }, [{ op: "test", path, value: ["b"] }, { op: "add", path, value: ["b", "a"] }]], // biome-ignore format: a table
    [
      "the last goes",
      ["a"],
      { remove: ["a"] },
      [
        { op: "test", path, value: ["a"] },
        { op: "remove", path },
      ],
    ],
    ["one goes, one comes", ["a", "b"], { add: ["c"], remove: ["a"] }, [{ op: "test", path, value: ["a", "b"] }, { op: "add", path, value: ["b", "c"] }]], // biome-ignore format: a table
    ["there already", ["a"], { add: ["a"] }, undefined],
    ["not there", ["a"], { remove: ["b"] }, undefined],
  ])("%s", (_, finalizers, change, operations) => {
    expect(finalizersPatch({ metadata: { uid, ...(finalizers && { finalizers }) } }, change)?.body).toEqual(
      (operations && [sameUid, ...operations]) as Patch["body"],
    );
  });

  test("none is added to an object that is being deleted", () => {
    const deleted = { metadata: { uid, finalizers: ["a", "b"], deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(finalizersPatch(deleted, { add: ["c"] })).toBeUndefined();
    expect(finalizersPatch(deleted, { add: ["c"], remove: ["a"] })?.body).toEqual([
      sameUid,
      { op: "test", path, value: ["a", "b"] },
      { op: "add", path, value: ["b"] },
    ]);
  });
});

describe("an annotation with a finalizer", () => {
  const mark = { mark: "yes" };
  const object = (metadata: object = {}) => ({ metadata: { uid, resourceVersion: "7", ...metadata } });
  test.each<[string, ReturnType<typeof object>, object | undefined]>([
    ["the first", object(), { uid, resourceVersion: "7", annotations: mark, finalizers: ["a"] }],
    ["one more", object({ finalizers: ["b"] }), { uid, resourceVersion: "7", annotations: mark, finalizers: ["b", "a"] }],
    ["annotated already", object({ annotations: mark }), { uid, resourceVersion: "7", annotations: mark, finalizers: ["a"] }],
    ["there already", object({ finalizers: ["a"] }), { uid, annotations: mark }],
    ["both are there", object({ finalizers: ["a"], annotations: mark }), undefined],
    ["too late", object({ deletionTimestamp: "2026-01-01T00:00:00Z" }), { uid, annotations: mark }],
  ])("%s", (_, each, metadata) => {
    expect(holdingPatch(each, "a", mark)?.body).toEqual((metadata && { metadata }) as Patch["body"]);
  });
});

interface Status {
  readonly ready?: boolean;
  readonly handle?: string;
}

describe("status", () => {
  test.each<[string, Status | undefined, { [K in keyof Status]?: Status[K] | undefined }, object[] | undefined]>([
    ["the first", undefined, { ready: false, handle: undefined }, [{ op: "test", path: "/status", value: null }, { op: "add", path: "/status", value: { ready: false } }]], // biome-ignore format: a table
    ["an empty one", {}, { ready: false, handle: undefined }, [{ op: "add", path: "/status/ready", value: false }]],
    ["a field goes", { handle: "h" }, { ready: undefined, handle: undefined }, [{ op: "remove", path: "/status/handle" }]],
    ["nothing", { handle: "h" }, {}, undefined],
    ["nothing in none", undefined, {}, undefined],
    ["removed from none", undefined, { ready: undefined }, [{ op: "test", path: "/status", value: null }, { op: "add", path: "/status", value: {} }]], // biome-ignore format: a table
  ])("%s", (_, status, changes, operations) => {
    const object = { metadata: { uid }, ...(status && { status }) };
    expect(statusPatch<Status>(object, changes)?.body).toEqual((operations && [sameUid, ...operations]) as Patch["body"]);
  });
});
