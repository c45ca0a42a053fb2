import { describe, expect, test } from "bun:test";
import { admitCreate, admitUpdate } from "../admission/admission.ts";
import { context, merged, refusal } from "../admission/testing/attempts.ts";
import { parseCel } from "./cel.ts";
import { servedKinds } from "./custom-kind.ts";

const properties = {
  driver: {
    type: "string",
    minLength: 1,
    maxLength: 5,
    pattern: "^[a-z]+$",
    "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "driver is immutable" }],
  },
  policy: { type: "string", enum: ["Delete", "Retain"], default: "Retain" },
  n: { type: "integer", format: "int64", minimum: 0, maximum: 10 },
  i32: { type: "integer", format: "int32" },
  f: { type: "number", exclusiveMinimum: true, minimum: 0 },
  b: { type: "boolean" },
  q: { "x-kubernetes-int-or-string": true, pattern: "^[0-9]+(Gi)?$" },
  t: { type: "string", format: "date-time" },
  list: { type: "array", items: { type: "string", minLength: 2 }, maxItems: 2, minItems: 1 },
  map: { type: "object", additionalProperties: { type: "string" }, maxProperties: 2 },
  any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  nul: { type: "string", nullable: true },
  obj: {
    type: "object",
    properties: { a: { type: "string", default: "x" }, b: { type: "string" } },
    default: {},
    "x-kubernetes-validations": [{ rule: "!has(oldSelf.b) || has(self.b)", message: "b is required once set" }],
  },
  src: {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" } },
    "x-kubernetes-validations": [{ rule: "(has(self.a) && !has(self.b)) || (!has(self.a) && has(self.b))", message: "exactly one" }],
  },
};
const status = {
  type: "object",
  properties: {
    ready: { type: "boolean" },
    h: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "h is immutable" }] },
  },
};
const definition = {
  metadata: { name: "things.x.io" },
  spec: {
    group: "x.io",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing", shortNames: ["th"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        selectableFields: [{ jsonPath: ".spec.driver" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: { spec: { type: "object", required: ["driver"], properties }, status },
          },
        },
      },
      { name: "v0", served: false, storage: false },
      { name: "v0beta1", served: true, storage: false, deprecated: true },
    ],
  },
};
const [Thing, Old] = servedKinds(definition);
const metadata = { name: "a" };
const create = (spec: object) => admitCreate(Thing!, { metadata, spec }, context());

test("a definition serves its served versions", () => {
  expect(Thing).toMatchObject({
    version: "v1",
    kind: "Thing",
    plural: "things",
    singular: "thing",
    listKind: "ThingList",
    namespaced: true,
    status: true,
    storage: true,
    deprecation: "",
  });
  expect(Old).toMatchObject({
    version: "v0beta1",
    storage: false,
    status: false,
    deprecation: "x.io/v0beta1 Thing is deprecated; use x.io/v1 Thing",
  });
  expect(servedKinds(definition)).toHaveLength(2);
});

describe("a custom object is stored", () => {
  const cases: [behaviour: string, given: object, stored: object][] = [
    [
      "without unknown members, with defaults inside defaults",
      { driver: "a", unknown: 1, obj: { zz: 1 } },
      { driver: "a", policy: "Retain", obj: { a: "x" } },
    ],
    [
      "with what may be unknown",
      { driver: "a", any: { x: { y: 1 } }, map: { k: "v" } },
      { driver: "a", policy: "Retain", obj: { a: "x" }, any: { x: { y: 1 } }, map: { k: "v" } },
    ],
    [
      "without nulls, except where they mean something",
      { driver: "a", b: null, policy: null, nul: null },
      { driver: "a", policy: "Retain", obj: { a: "x" }, nul: null },
    ],
    ["with a number or a text", { driver: "a", q: 5 }, { driver: "a", policy: "Retain", obj: { a: "x" }, q: 5 }],
  ];
  test.each(cases)("%s", (_, given, stored) => {
    expect(create(given)).toEqual({ metadata, spec: stored });
  });
  test("without status, and with finalizers of any name", () => {
    const given = { metadata: { name: "a", finalizers: ["foo"] }, spec: { driver: "a" }, status: { ready: true }, extra: 1 };
    expect(admitCreate(Thing!, given, context())).toEqual({
      metadata: given.metadata,
      spec: { driver: "a", policy: "Retain", obj: { a: "x" } },
    });
  });
});

describe("a custom object is refused", () => {
  const more =
    "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
  const cases: [behaviour: string, spec: object, message: string][] = [
    ["a required member is absent", {}, `[spec.driver: Required value, ${more}]`],
    ["a required member is null", { driver: null }, `[spec.driver: Required value, ${more}]`],
    ["too short", { driver: "" }, 'spec.driver: Invalid value: "": spec.driver in body should be at least 1 chars long'],
    ["too long", { driver: "abcdefg" }, `[spec.driver: Too long: may not be more than 5 bytes, ${more}]`],
    ["not of the pattern", { driver: "A" }, "spec.driver: Invalid value: \"A\": spec.driver in body should match '^[a-z]+$'"],
    [
      "of another type",
      { driver: 5 },
      `[spec.driver: Invalid value: "integer": spec.driver in body must be of type string: "integer", ${more}]`,
    ],
    [
      "not of the enumeration",
      { driver: "a", policy: "Foo" },
      `[spec.policy: Unsupported value: "Foo": supported values: "Delete", "Retain", ${more}]`,
    ],
    ["too small", { driver: "a", n: -1 }, "spec.n: Invalid value: -1: spec.n in body should be greater than or equal to 0"],
    ["too big", { driver: "a", n: 11 }, "spec.n: Invalid value: 11: spec.n in body should be less than or equal to 10"],
    ["not above an exclusive limit", { driver: "a", f: 0 }, "spec.f: Invalid value: 0: spec.f in body should be greater than 0"],
    [
      "beyond 32 bits",
      { driver: "a", i32: 3_000_000_000 },
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.i32',
    ],
    ["no time", { driver: "a", t: "x" }, `[spec.t: Invalid value: "x": spec.t in body must be of type date-time: "x", ${more}]`],
    [
      "an item too short",
      { driver: "a", list: ["a", "bb"] },
      'spec.list[0]: Invalid value: "a": spec.list[0] in body should be at least 2 chars long',
    ],
    ["too many items", { driver: "a", list: ["aa", "bb", "cc"] }, `[spec.list: Too many: 3: must have at most 2 items, ${more}]`],
    ["too few items", { driver: "a", list: [] }, "spec.list: Invalid value: 0: spec.list in body should have at least 1 items"],
    [
      "a map's value of another type",
      { driver: "a", map: { a: 1 } },
      `[spec.map.a: Invalid value: "integer": spec.map.a in body must be of type string: "integer", ${more}]`,
    ],
    ["neither of two", { driver: "a", src: {} }, "spec.src: Invalid value: exactly one"],
    ["both of two", { driver: "a", src: { a: "1", b: "2" } }, "spec.src: Invalid value: exactly one"],
  ];
  test.each(cases)("%s", (_, spec, message) => {
    expect(refusal(() => create(spec))).toBe(`Thing.x.io "a" is invalid: ${message}`);
  });
});

describe("a change of a custom object", () => {
  const old = { metadata, spec: { driver: "a", policy: "Retain", obj: { a: "x", b: "1" } }, status: { h: "x", ready: false } };
  const change = (before: object, patch: object, subresource?: "status") => () =>
    admitUpdate(Thing!, { ...before }, merged(before, patch), subresource ? { subresource } : {}, context());
  const refused: [behaviour: string, patch: object, subresource: "status" | undefined, message: string][] = [
    ["of what is immutable", { spec: { driver: "b" } }, undefined, 'spec.driver: Invalid value: "b": driver is immutable'],
    [
      "that removes what is required once set",
      { spec: { obj: { b: null } } },
      undefined,
      "spec.obj: Invalid value: b is required once set",
    ],
    ["of an immutable status", { status: { h: "y" } }, "status", 'status.h: Invalid value: "y": h is immutable'],
    [
      "of the status to another type",
      { status: { ready: 5 } },
      "status",
      '[status.ready: Invalid value: "integer": ready in body must be of type boolean: "integer", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
    ],
  ];
  test.each(refused)("%s is refused", (_, patch, subresource, message) => {
    expect(refusal(change(old, patch, subresource))).toBe(`Thing.x.io "a" is invalid: ${message}`);
  });
  const accepted: [behaviour: string, patch: object, subresource: "status" | undefined, part: object][] = [
    ["that removes what is only immutable", { status: { h: null } }, "status", { status: { ready: false } }],
    [
      "of the spec through the status does nothing",
      { spec: { n: 5 }, status: { ready: true } },
      "status",
      { spec: old.spec, status: { h: "x", ready: true } },
    ],
    ["of the status through the object does nothing", { status: { ready: true } }, undefined, { status: old.status }],
  ];
  test.each(accepted)("%s", (_, patch, subresource, part) => {
    expect(change(old, patch, subresource)()).toEqual({ ...old, ...part });
  });
  test("next to a value that was already wrong is let through", () => {
    const wrong = { ...old, spec: { ...old.spec, n: -1 } };
    expect(change(wrong, { spec: { b: true } })().spec).toMatchObject({ n: -1, b: true });
  });
});

describe("CEL", () => {
  const variables = { self: { a: "x", n: 2, list: [1], namespace: "ns", in: { b: "y" } }, oldSelf: { a: "x" } };
  const cases: [rule: string, value: unknown][] = [
    ["self.a == oldSelf.a", true],
    ["self == oldSelf", false],
    ["has(self.a) && !has(self.b)", true],
    ["has(self.in.b) && self.in.b == 'y'", true],
    ["size(self.a) > 0 && self.list.size() <= 1", true],
    ["self.__namespace__ == 'ns'", true],
    ['has(oldSelf.n) ? self.n == oldSelf.n : self.n != 3 || "a" == "b"', true],
    ["self.missing == 1 || true", true],
    ["false && self.missing == 1", false],
  ];
  test.each(cases)("%s", (rule, value) => {
    expect(parseCel(rule)(variables)).toBe(value);
  });
  test.each(["self.all(x, x > 1)", "self +", "self == ", "(self", "self # 1"])("%s is refused when it is read", (rule) => {
    expect(() => parseCel(rule)).toThrow("CEL");
  });
  test("a member that is absent has no value", () => {
    expect(() => parseCel("self.missing == 1")(variables)).toThrow("no such key: missing");
  });
});
