import { describe, expect, test } from "bun:test";
import { resource } from "@csi-sidecars/kube";
import { admitCreate, admitUpdate } from "./admission.ts";
import { context, merged, refusal } from "./testing/attempts.ts";

const ConfigMap = resource("v1", "configmaps", "ConfigMap", { namespaced: true });
const keyText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe("metadata that is refused", () => {
  const cases: [behaviour: string, metadata: object, message: string][] = [
    [
      "a label key of three parts",
      { labels: { "a/b/c": "x" } },
      `metadata.labels: Invalid value: "a/b/c": a valid label key ${keyText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
    ["a label key without domain", { labels: { "/b": "x" } }, 'metadata.labels: Invalid value: "/b": prefix part must be non-empty'],
    ["a label key that starts badly", { annotations: { "-a": "x" } }, `metadata.annotations: Invalid value: "-a": name part ${keyText}`],
    [
      "a label key that is too long",
      { labels: { ["a".repeat(64)]: "" } },
      `metadata.labels: Invalid value: "${"a".repeat(64)}": name part must be no more than 63 bytes`,
    ],
    [
      "a label value that is too long",
      { labels: { a: "b".repeat(64) } },
      `metadata.labels: Invalid value: "${"b".repeat(64)}": must be no more than 63 bytes`,
    ],
    [
      "annotations beyond 256 KiB",
      { annotations: { a: "x".repeat(262_144) } },
      "metadata.annotations: Too long: may not be more than 262144 bytes",
    ],
    [
      "a finalizer without domain",
      { finalizers: ["foo"] },
      'metadata.finalizers[0]: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
    ],
    [
      "both ways of deleting dependents",
      { finalizers: ["orphan", "foregroundDeletion"] },
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
    [
      "an owner without uid",
      { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "a" }] },
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ],
    [
      "an event as owner",
      { ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "a", uid: "x" }] },
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"a","uid":"x"}: /v1, Kind=Event is disallowed from being an owner',
    ],
    [
      "a name that is too long",
      { name: "a".repeat(254) },
      `metadata.name: Invalid value: "${"a".repeat(254)}": must be no more than 253 characters`,
    ],
  ];
  test.each(cases)("%s", (_, metadata, message) => {
    const object = { metadata: { name: "c", ...metadata } };
    expect(refusal(() => admitCreate(ConfigMap, object, context()))).toBe(`ConfigMap "${object.metadata.name}" is invalid: ${message}`);
  });
});

describe("metadata that is accepted", () => {
  test.each([
    ["an annotation with a domain in capitals", { annotations: { "A.b/C": "x" } }],
    ["the finalizer of the garbage collector", { finalizers: ["foregroundDeletion", "a.b/c"] }],
  ])("%s", (_, metadata) => {
    expect(admitCreate(ConfigMap, { metadata: { name: "c", ...metadata } }, context())).toEqual({ metadata: { name: "c", ...metadata } });
  });
});

const old = { metadata: { name: "c", uid: "u", creationTimestamp: "2020-01-01T00:00:00Z", finalizers: ["a/b"] } };
const deleting = { metadata: { ...old.metadata, deletionTimestamp: "2021-01-01T00:00:00Z", deletionGracePeriodSeconds: 0 } };
const change = (before: object, metadata: object) => () =>
  admitUpdate(ConfigMap, { ...before }, merged(before, { metadata }), {}, context());

describe("what a change of metadata cannot touch", () => {
  const silent: [behaviour: string, before: object, metadata: object][] = [
    ["the creation time", old, { creationTimestamp: "2022-01-01T00:00:00Z" }],
    ["the identity, left out", old, { uid: null, creationTimestamp: null }],
    ["the time of deletion", deleting, { deletionTimestamp: "2022-01-01T00:00:00Z" }],
    ["the deletion, taken back", deleting, { deletionTimestamp: null }],
  ];
  test.each(silent)("%s stays as it is", (_, before, metadata) => {
    expect(change(before, metadata)()).toEqual({ ...before });
  });
  const refused: [behaviour: string, before: object, metadata: object, message: string][] = [
    ["another uid", old, { uid: "v" }, 'metadata.uid: Invalid value: "v": field is immutable'],
    [
      "a deletion by hand",
      old,
      { deletionTimestamp: "2022-01-01T00:00:00Z" },
      'metadata.deletionTimestamp: Invalid value: "2022-01-01T00:00:00Z": field is immutable',
    ],
    [
      "another grace period",
      deleting,
      { deletionGracePeriodSeconds: 5 },
      "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable",
    ],
    [
      "a finalizer added while deleting",
      deleting,
      { finalizers: ["a/c", "a/d"] },
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/c", "a/d"}',
    ],
  ];
  test.each(refused)("%s is refused", (_, before, metadata, message) => {
    expect(refusal(change(before, metadata))).toBe(`ConfigMap "c" is invalid: ${message}`);
  });
  test("finalizers may go while deleting", () => {
    expect(change(deleting, { finalizers: null })()).not.toHaveProperty("metadata.finalizers");
  });
});
