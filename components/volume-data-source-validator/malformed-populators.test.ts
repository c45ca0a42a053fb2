import { expect, test } from "bun:test";
import { populatorDefinitions } from "@csi-sidecars/crds";
import { mergePatch, type V1beta1VolumePopulator, VolumePopulator } from "@csi-sidecars/kube";
import { book } from "./testing/objects.ts";
import { startValidatorWorld } from "./testing/validator-world.ts";

/** As an old or a careless definition has it: the API server checks nothing. */
const lax = populatorDefinitions.map((definition) => ({
  ...definition,
  spec: {
    ...definition.spec,
    versions: definition.spec.versions.map((version) => ({
      ...version,
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    })),
  },
}));

test("a populator without a valid sourceKind is told of once for each change, and keeps nobody from being validated", async () => {
  await using world = await startValidatorWorld({ definitions: lax });
  const malformed = { metadata: { name: "wrong" }, sourceKind: { group: 5, kind: ["Book"] } } as unknown as V1beta1VolumePopulator;
  await world.create(VolumePopulator, malformed);
  await world.untilCounted({ error: 1 });
  await world.addPopulator("books", book);
  await world.addClaim("data", book);
  await world.witness();
  expect(await world.counted()).toEqual({ error: 1, populator: 1, invalid: 1 });
  const complaints = () => world.validator.log.lines.filter(({ message }) => message.includes("without a valid sourceKind"));
  expect(complaints().map(({ severity, fields }) => [severity, fields?.volumePopulator])).toEqual([["error", "wrong"]]);
  await world.admin.patch(VolumePopulator, { name: "wrong" }, mergePatch({ metadata: { labels: { still: "wrong" } } }));
  await world.untilCounted({ error: 2, populator: 1, invalid: 1 });
  expect(complaints()).toHaveLength(2);
});

test("a populator whose sourceKind is changed serves the new one, and no longer the old one", async () => {
  await using world = await startValidatorWorld();
  await world.addPopulator("one", book);
  await world.addClaim("data", book);
  await world.addClaim("journal", { ...book, kind: "Journal" });
  await world.untilWarned("journal");
  await world.untilCounted({ populator: 1, invalid: 1 });
  await world.admin.patch(VolumePopulator, { name: "one" }, mergePatch({ sourceKind: { kind: "Journal" } }));
  await world.untilWarned("data");
  await world.untilCounted({ populator: 2, invalid: 2 });
});
