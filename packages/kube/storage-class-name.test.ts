import { expect, test } from "bun:test";
import { hasStorageClassName, storageClassName } from "./storage-class-name.ts";
import { wellKnownAnnotation as annotation } from "./well-known.ts";

const annotated = { metadata: { annotations: { [annotation.betaClass]: "beta" } } };

test.each<[string, Parameters<typeof storageClassName>[0], name: string, named: boolean]>([
  ["the field", { metadata: {}, spec: { storageClassName: "field" } }, "field", true],
  ["the beta annotation wins over the field", { ...annotated, spec: { storageClassName: "field" } }, "beta", true],
  ["the beta annotation alone", annotated, "beta", true],
  ["an empty name asks for no class", { metadata: {}, spec: { storageClassName: "" } }, "", true],
  ["no name at all", { metadata: {} }, "", false],
])("%s", (_what, claim, name, named) => {
  expect([storageClassName(claim), hasStorageClassName(claim)]).toEqual([name, named]);
});
