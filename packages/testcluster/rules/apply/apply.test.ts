import { describe, expect, test } from "bun:test";
import { common, fieldSetFrom, fieldsV1, minus, placesIn, union } from "./managed-fields.ts";
import { type MergeShape, MergeShapes } from "./merge-shape.ts";
import { changedFields, fieldsOf, merged, without } from "./typed-fields.ts";

const shapes = new MergeShapes((name) =>
  name === "Item"
    ? { properties: { name: {}, port: {}, protocol: { default: "TCP" }, inner: { $ref: "#/components/schemas/Item" } } }
    : undefined,
);
const shape: MergeShape = shapes.of({
  properties: {
    items: {
      items: { $ref: "#/components/schemas/Item" },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
    },
    words: { items: {}, "x-kubernetes-list-type": "set" },
    list: { items: {} },
    labels: { additionalProperties: {} },
    atom: { properties: { a: {} }, "x-kubernetes-map-type": "atomic" },
  },
});

describe("sets of fields", () => {
  const a = { "f:x": {}, "f:y": { ".": {}, "f:z": {} } };
  const b = { "f:y": { "f:z": {}, "f:w": {} } };
  test("are read and written as they are stored", () => {
    expect(fieldsV1(fieldSetFrom(a))).toEqual(a);
  });
  test("are united, subtracted and compared", () => {
    expect(fieldsV1(union(fieldSetFrom(a), fieldSetFrom(b)))).toEqual({ "f:x": {}, "f:y": { ".": {}, "f:w": {}, "f:z": {} } });
    expect(fieldsV1(minus(fieldSetFrom(a), fieldSetFrom(b)))).toEqual({ "f:x": {}, "f:y": {} });
    expect(fieldsV1(common(fieldSetFrom(a), fieldSetFrom(b)))).toEqual({ "f:y": { "f:z": {} } });
  });
  test("are named as people write paths", () => {
    const set = fieldSetFrom({ "f:a": { 'k:{"name":"c"}': { "f:b": {} }, 'v:"x"': {} } });
    expect(placesIn(set)).toEqual(['.a[name="c"].b', '.a[="x"]']);
  });
});

describe("values", () => {
  test("set the fields that their schema tells apart", () => {
    const value = { items: [{ port: 80, name: "a" }], words: ["w"], list: [1], labels: { l: "1" }, atom: { a: 1 } };
    expect(fieldsV1(fieldsOf(value, shape))).toEqual({
      "f:items": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {}, "f:port": {} } },
      "f:words": { 'v:"w"': {} },
      "f:list": {},
      "f:labels": { "f:l": {} },
      "f:atom": {},
    });
  });

  test("are merged", () => {
    const live = {
      items: [
        { port: 1, name: "a" },
        { port: 2, protocol: "TCP" },
      ],
      words: ["b", "a"],
      list: [1, 2],
      labels: { l: "1" },
      atom: { a: 1 },
    };
    const config = { items: [{ port: 3 }, { port: 2, name: "n" }], words: ["c", "a"], list: [3], labels: { m: "2" }, atom: {} };
    expect(merged(live, config, shape)).toEqual({
      items: [{ port: 1, name: "a" }, { port: 3 }, { port: 2, protocol: "TCP", name: "n" }],
      words: ["b", "c", "a"],
      list: [3],
      labels: { l: "1", m: "2" },
      atom: {},
    });
  });

  test("lose fields, but not those below which others own something", () => {
    const value = {
      items: [
        { port: 1, name: "a" },
        { port: 2, name: "b" },
      ],
      labels: { l: "1" },
    };
    const set = fieldsOf(value, shape);
    const held = fieldSetFrom({ "f:items": { 'k:{"port":2,"protocol":"TCP"}': { "f:port": {} } } });
    expect(without(value, minus(set, held), held, shape)).toEqual({ items: [{ port: 2 }] });
  });

  test("differ in what was added or changed", () => {
    const before = { list: [1], labels: { a: "1", b: "2" } };
    const after = { list: [1], labels: { a: "9" }, words: ["w"] };
    expect(fieldsV1(changedFields(before, after, shape))).toEqual({ "f:labels": { "f:a": {} }, "f:words": { ".": {}, 'v:"w"': {} } });
  });
});
