import { describe, expect, test } from "bun:test";
import { stripManagedFields } from "./strip-managed-fields.ts";

const entry = {
  manager: "csi-provisioner",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:metadata": { "f:finalizers": { ".": {}, 'v:"a]b\\"': {} } }, 'k:{"type":"x[]}"}': { ".": {} } },
  subresource: "status",
};
const line = (object: object, type = "ADDED") => JSON.stringify({ type, object });
const whole = (metadata: object, rest: object = { spec: { a: [1, { b: "]" }] } }) => ({
  kind: "PersistentVolume",
  apiVersion: "v1",
  metadata,
  ...rest,
});

describe("managedFields are cut out of", () => {
  test.each([
    ["the end of metadata, as built-in kinds have it", { name: "a", annotations: { x: 'say "hi" \\' }, managedFields: [entry, entry] }],
    ["the middle of metadata, as custom kinds have it", { generation: 1, managedFields: [entry], name: "a", uid: "1" }],
    ["metadata that has nothing else", { managedFields: [entry] }],
    ["metadata that speaks of them elsewhere", { annotations: { last: '{"managedFields":[{}]}' }, name: "a", managedFields: [entry] }],
    ["metadata with text of all alphabets", { name: "größe 😀", managedFields: [entry], labels: { ü: "é\u2028" } }],
  ])("%s", (_, metadata) => {
    const object = whole(metadata);
    expect(JSON.parse(stripManagedFields(line(object)))).toEqual({ type: "ADDED", object: whole({ ...metadata, managedFields: [] }) });
  });
});

describe("a line is left as it is", () => {
  test.each([
    ["without managedFields", line(whole({ name: "a" }))],
    ["where they are empty", line(whole({ name: "a", managedFields: [] }))],
    ["where only the spec has a field of that name", line(whole({ name: "a" }, { spec: { managedFields: [1, 2] } }))],
    ["where only a part of metadata has a field of that name", line(whole({ name: "a", labels: { managedFields: [1] } }))],
    ["where only a text has it", line(whole({ name: "a", annotations: { last: 'x"managedFields":[1]' } }))],
    ["where a key ends in it", line(whole({ name: "a", annotations: { 'x"managedFields': [1] } }))],
    ["where something nested comes before metadata", line({ data: { a: "b" }, metadata: { managedFields: [entry] } })],
    ["that is cut off", line(whole({ name: "a", managedFields: [entry] })).slice(0, 120)],
    ["of a Status", line({ kind: "Status", apiVersion: "v1", metadata: {}, code: 410 }, "ERROR")],
    ["that is no JSON", "upstream request timeout"],
    ["that is only a brace", "{"],
  ])("%s", (_, text) => {
    expect(stripManagedFields(text)).toBe(text);
  });
});
