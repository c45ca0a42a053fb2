import { expect, test } from "bun:test";
import { type ResponseForm, responseForm } from "./negotiation.ts";

const objects: ResponseForm = { as: "objects" };
const table: ResponseForm = { as: "table" };
const metadata: ResponseForm = { as: "metadata", of: "one", apiVersion: "meta.k8s.io/v1" };
const partial = "as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

const forms: readonly [accept: string | undefined, form: ResponseForm][] = [
  [undefined, objects],
  ["*/*", objects],
  ["application/vnd.kubernetes.protobuf,application/json", objects],
  ["application/json;as=Table;v=v1;g=meta.k8s.io,application/json", table],
  ["application/json,application/json;as=Table;v=v1;g=meta.k8s.io", objects],
  [`application/vnd.kubernetes.protobuf;${partial},application/json;${partial},application/json`, metadata],
  [`application/*;${partial}`, metadata],
  ["application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", { as: "metadata", of: "list", apiVersion: "meta.k8s.io/v1" }],
];
test.each([...forms])("%p", (accept, form) => {
  expect(responseForm(accept)).toEqual(form);
});

test("a client that takes nothing of what there is is refused", () => {
  expect(() => responseForm("application/yaml")).toThrow("only the following media types are accepted: application/json");
});
