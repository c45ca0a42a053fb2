import { describe, expect, test } from "bun:test";
import { withInheritedNames } from "@csi-sidecars/base/testing";
import { PersistentVolume, Pod, VolumeAttachment } from "../../resources.ts";
import { covers, type FieldTree, fieldTree, readsMetadataOnly, unionOf } from "./field-tree.ts";
import { type CachedOf, fields } from "./fields.ts";
import { projector } from "./projection.ts";

const identity = { name: "a", uid: "u", resourceVersion: "1" };
const inherited = withInheritedNames("given");
const noise = { managedFields: [{ manager: "kubectl" }], labels: { app: "x" }, generation: 3 };

describe("projecting", () => {
  test.each<[string, FieldTree, object, object]>([
    ["identity alone", {}, { kind: "Pod", metadata: { ...identity, ...noise }, spec: { x: 1 } }, { metadata: identity }],
    ["namespace", {}, { metadata: { ...identity, namespace: "n" } }, { metadata: { ...identity, namespace: "n" } }],
    [
      "a whole value",
      { spec: true },
      { metadata: identity, spec: { a: [{ b: null }], c: 0 } },
      { metadata: identity, spec: { a: [{ b: null }], c: 0 } },
    ],
    [
      "some fields",
      { status: { phase: true } },
      { metadata: identity, status: { phase: "Bound", more: 1 } },
      { metadata: identity, status: { phase: "Bound" } },
    ],
    [
      "fields that are not there",
      { status: { phase: true }, spec: true },
      { metadata: identity, status: {} },
      { metadata: identity, status: {} },
    ],
    [
      "falsy values",
      { spec: { a: true, b: true } },
      { metadata: identity, spec: { a: false, b: "" } },
      { metadata: identity, spec: { a: false, b: "" } },
    ],
    ["null, as not there", { spec: { a: true } }, { metadata: identity, spec: { a: null } }, { metadata: identity, spec: {} }],
    [
      "some annotations",
      { metadata: { annotations: fieldTree(["x", "y"]) } },
      { metadata: { ...identity, annotations: { x: "1", z: "2" } } },
      { metadata: { ...identity, annotations: { x: "1" } } },
    ],
    [
      "keys that every object inherits",
      { metadata: { labels: true }, spec: true, data: { inner: true } },
      { metadata: { ...identity, labels: inherited }, spec: { ...inherited, list: [inherited] }, data: { inner: inherited } },
      { metadata: { ...identity, labels: inherited }, spec: { ...inherited, list: [inherited] }, data: { inner: inherited } },
    ],
    [
      "an annotation that every object inherits, and this one lacks",
      { metadata: { annotations: fieldTree(["constructor"]) } },
      { metadata: { ...identity, annotations: {} } },
      { metadata: { ...identity, annotations: {} } },
    ],
    [
      "everything, with a field that every object inherits",
      true,
      { metadata: { ...identity, ...inherited }, ...inherited },
      { metadata: { ...identity, ...inherited }, ...inherited },
    ],
    [
      "every element of an array",
      { spec: { volumes: [{ persistentVolumeClaim: true }] } },
      {
        metadata: identity,
        spec: {
          volumes: [
            { name: "v", persistentVolumeClaim: { claimName: "c" } },
            { name: "w", emptyDir: {} },
          ],
        },
      },
      { metadata: identity, spec: { volumes: [{ persistentVolumeClaim: { claimName: "c" } }, {}] } },
    ],
    [
      "everything but managedFields",
      true,
      { kind: "Pod", metadata: { ...identity, ...noise }, spec: { x: 1 } },
      { metadata: { ...identity, labels: { app: "x" }, generation: 3 }, spec: { x: 1 } },
    ],
    [
      "a value of an unexpected form",
      { spec: { volumes: [{ a: true }] } },
      { metadata: identity, spec: { volumes: "none" } },
      { metadata: identity, spec: {} },
    ],
  ])("%s", (_, tree, object, expected) => {
    const before = structuredClone(object);
    expect(projector(tree)(object)).toStrictEqual(expected as never);
    expect(object).toEqual(before);
  });

  test("equal values of a field are one value, also across objects", () => {
    const project = projector({ spec: { accessModes: true, capacity: true }, status: { phase: true } });
    const volume = () =>
      JSON.parse(
        '{"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"}},"status":{"phase":"Bound"}}',
      );
    const [a, b] = [project(volume()), project(volume())] as unknown as Record<string, unknown>[];
    expect(a).not.toBe(b);
    expect(a?.spec).toBe(b?.spec);
    expect(a?.status).toBe(b?.status);
  });

  test("fields that never repeat are no longer interned, and still correct", () => {
    const project = projector({ spec: true });
    for (let i = 0; i < 3_000; i++) {
      const object = { metadata: { name: `n${i}` }, spec: { id: `id-${i}`, driver: "d", list: [`${i}`] } };
      expect(project(object)).toEqual({ metadata: { name: `n${i}`, uid: "", resourceVersion: "" }, spec: object.spec } as never);
    }
  });

  test("frozen all the way down when told so", () => {
    const cached = projector({ spec: true }, { freeze: true })({ metadata: { name: "a" }, spec: { list: [{}] } } as object);
    const { spec } = cached as typeof cached & { spec: { list: object[] } };
    expect([cached, cached.metadata, spec, spec.list, spec.list[0]].every(Object.isFrozen)).toBe(true);
  });
});

describe("field trees", () => {
  test.each<[string, unknown, RegExp]>([
    ["a number", { spec: { a: 1 } }, /field spec at "spec.a": expected true, an object/],
    ["two element specs", { spec: { a: [{}, {}] } }, /field spec at "spec.a"/],
    ["false", { status: false }, /field spec at "status"/],
  ])("refuse %s", (_, spec, message) => {
    expect(() => fieldTree(spec)).toThrow(message);
  });

  const cases: [FieldTree, FieldTree, FieldTree][] = [
    [{}, { spec: true }, { spec: true }],
    [{ spec: true }, { spec: { a: true } }, { spec: true }],
    [{ spec: { a: true } }, { spec: { b: { c: true } }, status: true }, { spec: { a: true, b: { c: true } }, status: true }],
    [{ volumes: [{ a: true }] }, { volumes: [{ b: true }] }, { volumes: [{ a: true, b: true }] }],
    [{ annotations: { x: true } }, { annotations: { y: true } }, { annotations: { x: true, y: true } }],
  ];
  test.each(cases)("the union of %j and %j is %j, and covers both", (a, b, both) => {
    expect(unionOf([a, b])).toEqual(both);
    expect(unionOf([b, a])).toEqual(both);
    expect([covers(both, a), covers(both, b), covers(both, both)]).toEqual([true, true, true]);
  });

  test.each<[FieldTree, FieldTree]>([
    [{ spec: { a: true } }, { spec: true }],
    [{ spec: { a: true } }, { spec: { b: true } }],
    [{ spec: { a: [{ b: true }] } }, { spec: { a: [{ c: true }] } }],
    [{}, true],
  ])("%j does not cover %j", (wide, narrow) => {
    expect(covers(wide, narrow)).toBe(false);
  });

  test.each<[FieldTree, boolean]>([
    [{}, true],
    [{ metadata: true }, true],
    [{ metadata: { labels: true } }, true],
    [{ metadata: { labels: true }, spec: { a: true } }, false],
    [true, false],
  ])("%j reads metadata only: %p", (tree, only) => {
    expect(readsMetadataOnly(tree)).toBe(only);
  });
});

test("readers see what they declared and nothing else: checked by the compiler", () => {
  const attachments = fields(VolumeAttachment, {
    metadata: { finalizers: true, annotations: ["csi.alpha.kubernetes.io/node-id"], deletionTimestamp: true },
    spec: true,
    status: { attached: true, attachError: { time: true } },
  });
  const pods = fields(Pod, { spec: { volumes: [{ persistentVolumeClaim: true }] } });
  const volumes = fields(PersistentVolume, { spec: { capacity: ["storage"] } });
  const read = (va: CachedOf<typeof attachments>, pod: CachedOf<typeof pods>, pv: CachedOf<typeof volumes>) => {
    const kept: [string, readonly string[] | undefined, string | undefined, string | undefined, string | number | undefined] = [
      va.metadata.uid,
      va.metadata.finalizers,
      va.metadata.annotations?.["csi.alpha.kubernetes.io/node-id"],
      pod.spec?.volumes?.[0]?.persistentVolumeClaim?.claimName,
      pv.spec?.capacity?.storage,
    ];
    // @ts-expect-error another annotation
    va.metadata.annotations?.other;
    // @ts-expect-error labels were not declared
    va.metadata.labels;
    // @ts-expect-error nor was the message
    va.status?.attachError?.message;
    // @ts-expect-error nor other volume sources
    pod.spec?.volumes?.[0]?.hostPath;
    // @ts-expect-error cached objects are shared
    va.spec.nodeName = "other";
    return kept;
  };
  // @ts-expect-error no such field
  fields(Pod, { spec: { nodeNam: true } });
  // @ts-expect-error never kept
  fields(Pod, { metadata: { managedFields: true } });
  expect(read).toBeFunction();
});
