import { expect, test } from "bun:test";
import { keepSchemas, schemasText } from "./keep-schemas.ts";

const gvk = (kind: string) => ({ "x-kubernetes-group-version-kind": [{ group: "g", version: "v1", kind }] });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const document = {
  components: {
    schemas: {
      Wanted: {
        description: "A sentence.",
        type: "object",
        properties: { spec: { description: "Another one.", allOf: [ref("Spec")] }, description: { type: "string", description: "Third." } },
        ...gvk("Wanted"),
      },
      Spec: { type: "object", properties: { again: ref("Spec") } },
      Other: { type: "object", ...gvk("Other") },
    },
  },
};

test("keeps what the wanted kinds need, without descriptions", () => {
  const kept = keepSchemas([document], [{ group: "g", version: "v1", kind: "Wanted" }]);
  expect(kept).toEqual({
    Spec: { type: "object", properties: { again: ref("Spec") } },
    Wanted: { type: "object", properties: { spec: { allOf: [ref("Spec")] }, description: { type: "string" } }, ...gvk("Wanted") },
  });
  expect(JSON.parse(schemasText(kept))).toEqual(kept);
  expect(schemasText(kept).split("\n")).toHaveLength(5);
});

test("says which kind the server does not publish", () => {
  expect(() => keepSchemas([document], [{ group: "g", version: "v2", kind: "Wanted" }])).toThrow("no schema of g/v2 Wanted");
});
