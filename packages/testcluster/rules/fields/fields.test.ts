import { describe, expect, test } from "bun:test";
import { type KnownFields, knownObject, unknownFields } from "./known-fields.ts";
import { mayHaveDuplicates, strictDecodingErrors } from "./strict-decoding.ts";

const struct = (fields: Readonly<Record<string, KnownFields | undefined>>, open = false): KnownFields => ({
  is: "struct",
  fields: new Map(Object.entries(fields)),
  open,
});
const inner = struct({ name: undefined });
const known = struct({
  name: undefined,
  list: { is: "list", items: inner },
  map: { is: "map", values: inner },
  open: struct({ inner }, true),
});

describe("known fields", () => {
  test("an object without unknown fields is not copied", () => {
    const object = { name: { any: "thing" }, list: [{ name: 1 }], map: { a: { name: 2 } }, open: { more: 1, inner: {} } };
    expect(knownObject(object, known)).toBe(object);
    expect(unknownFields(object, known)).toEqual([]);
  });

  test("unknown fields are left out at every depth, and what was given stays as it was", () => {
    const object = { z: 1, list: [{ name: 1, a: 1 }, 7, null], map: { k: { b: 1 } }, open: { more: 1, inner: { c: 1 } }, name: "n" };
    const copy = structuredClone(object);
    expect(knownObject(object, known)).toEqual({
      list: [{ name: 1 }, 7, null],
      map: { k: {} },
      open: { more: 1, inner: {} },
      name: "n",
    });
    expect(object).toEqual(copy);
    expect(unknownFields(object, known)).toEqual(["list[0].a", "map.k.b", "open.inner.c", "z"]);
  });

  test("values of other types than expected are not checked", () => {
    const object = { list: "no list", map: [1], open: null };
    expect(knownObject(object, known)).toBe(object);
  });
});

describe("strict decoding", () => {
  test.each([
    ["nothing", '{"name":"x","list":[{"name":[1,2,{"a":1}]}]}', []],
    ["unknown before known", '{"z":{"z":1,"z":2},"name":1}', ['unknown field "z"']],
    ["twice", '{ "name" : 1 , "name" : 2 }', ['duplicate field "name"']],
    ["twice unknown is unknown once", '{"z":1,"z":2}', ['unknown field "z"']],
    ["in a list", '{"list":[{"name":1},{"name":1,"name":2,"q":null}]}', ['duplicate field "list[1].name"', 'unknown field "list[1].q"']],
    ["by its real name", '{"name":1,"n\\u0061me":"\\"}{"}', ['duplicate field "name"']],
  ])("%s", (_, text, faults) => {
    expect(strictDecodingErrors(text, known)).toEqual(faults);
  });

  test.each([
    ['{"a":{"b":[{"c":1}]}}', false],
    ['{"a":1,"a":2}', true],
    ['{"a":"\\":"}', true],
  ])("%s may have duplicates: %p", (text, may) => {
    expect(mayHaveDuplicates(text, JSON.parse(text))).toBe(may);
  });
});
