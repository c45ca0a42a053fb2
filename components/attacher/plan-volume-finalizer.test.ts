import { describe, expect, test } from "bun:test";
import { migratedToAnnotation } from "./names.ts";
import { needsFinalizerWork, planVolumeFinalizer } from "./plan-volume-finalizer.ts";
import { cachedVolume, deleted, facts } from "./testing/cached.ts";
import { driverName, finalizer, foreign, volume } from "./testing/manifests.ts";

const held = { finalizers: [finalizer] };
const inTree = { spec: { csi: undefined, gcePersistentDisk: { pdName: "testpd" } } };
const annotated = (annotations: Record<string, string>) => ({ metadata: { ...held, annotations }, ...inTree });

describe("volumes that deserve a look", () => {
  test.each<[string, Parameters<typeof volume>[0], boolean]>([
    ["a plain volume", {}, false],
    ["with our finalizer", { metadata: held }, false],
    ["deleted, without our finalizer", { metadata: { ...deleted, finalizers: [foreign] } }, false],
    ["deleted, with our finalizer", { metadata: { ...held, ...deleted } }, true],
    ["in-tree, never migrated", { metadata: held, ...inTree }, true],
    ["in-tree, with another annotation", annotated({ other: "x" }), true],
    ["in-tree, migrated to another driver", annotated({ [migratedToAnnotation]: "other.example.com" }), true],
    ["in-tree, migrated to us", annotated({ [migratedToAnnotation]: driverName }), false],
    ["in-tree, without our finalizer", inTree, false],
  ])("%s", (_what, parts, expected) => {
    expect(needsFinalizerWork(cachedVolume(volume(parts)), facts)).toBe(expected);
  });
});

describe("planVolumeFinalizer", () => {
  const going = { metadata: { ...deleted, finalizers: [foreign, finalizer, "example.com/b"] } };
  const release = {
    step: "release",
    patch: { type: "strategic", body: { metadata: { uid: "uid-of-pv1", "$deleteFromPrimitiveList/finalizers": [finalizer] } } },
  };
  test.each<[string, Parameters<typeof volume>[0], number, object]>([
    ["deleted and unused", going, 0, release],
    ["deleted and attached", going, 1, { step: "none", because: "attached" }],
    ["deleted, let go of", { metadata: deleted }, 0, { step: "none", because: "not held" }],
    ["in use", { metadata: held }, 0, { step: "none", because: "needed" }],
    ["no longer migrated and unused", { metadata: held, ...inTree }, 0, release],
  ])("%s", (_what, parts, attachments, expected) => {
    expect(planVolumeFinalizer(cachedVolume(volume(parts)), attachments, facts)).toEqual(expected as never);
  });
});
